/* request_output.h - results that go to a .npy file: made before the job runs,
 * named when it has ended well. */
#ifndef PROTO_REQUEST_OUTPUT_H
#define PROTO_REQUEST_OUTPUT_H

#include "proto/request_parts.h"

/* Make the file that job->path names, and give it to the task. */
enum status output_start(struct request_job *job, const struct file_access *files, bool overwrite,
			 struct error *err);

/* The task is done: header and name, or nothing is left of the file. A failure
 * becomes the task's. */
void output_finish(struct request_job *job);
void output_drop(struct request_job *job);

#endif

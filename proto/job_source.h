/* job_source.h - the members of a job object that say where an array comes from:
 * of the job itself, of `with` and of `segments`. */
#ifndef PROTO_JOB_SOURCE_H
#define PROTO_JOB_SOURCE_H

#include "proto/job_json.h"
#include "proto/member.h"

/* A source or a member that describes one. dtype: of number arrays, NULL:
 * inferred. */
enum status source_member_read(struct input *input, const struct json_reader *r, enum member member,
			       const json_t *value, const enum dtype *dtype);

/* All members are there: do they fit together? `required`: there must be a source. */
enum status source_check(const struct input *input, const struct json_reader *r, bool required);

enum status with_read(struct input *input, const struct json_reader *r, const json_t *value,
		      const enum dtype *job_dtype);
enum status segments_read(struct job_spec *spec, const struct json_reader *r, const json_t *value);

/* Offsets as they are needed in a job: takes n int64 from malloc (also on
 * failure). `offsets` begin at 0 and never fall. */
enum status segments_set(struct job *job, int64_t *offsets, uint64_t count, struct error *err);

#endif

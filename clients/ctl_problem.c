#include "config.h"
#include <stdlib.h>
#include "clients/ctl_json.h"
#include "clients/ctl_problem.h"

static enum ctl_exit exit_of(long status)
{
	return status == 429 || status == 503 ? CTL_BUSY : CTL_JOB_FAILED;
}

/* "bad_value: axis 3 is beyond the last (at /axis)" */
enum ctl_exit ctl_problem_report_entry(const json_t *problem, const char *prefix)
{
	/* "" leads to the job as a whole: no place to tell. */
	const char *pointer = ctl_json_member(problem, "pointer");
	const char *detail = ctl_json_member(problem, "detail");

	if (*detail == '\0')
		detail = ctl_json_member(problem, "title");
	return ctl_fail(exit_of(strtol(ctl_json_member(problem, "status"), NULL, 10)),
			"%s%s: %s%s%s%s", prefix, ctl_json_member(problem, "code"), detail,
			*pointer != '\0' ? " (at " : "", pointer, *pointer != '\0' ? ")" : "");
}

enum ctl_exit ctl_problem_report(const struct ctl_answer *answer)
{
	json_t *problem = ctl_json_read(answer->text.bytes, answer->text.size);
	enum ctl_exit code;

	if (json_object_get(problem, "code") != NULL)
		code = ctl_problem_report_entry(problem, "");
	else
		code = ctl_fail(exit_of(answer->status),
				"the server answered %ld, without a reason", answer->status);
	if (code == CTL_BUSY && answer->retry_after > 0)
		ctl_fail(code, "try again in %ld s", answer->retry_after);
	json_decref(problem);
	return code;
}

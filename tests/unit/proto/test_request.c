#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "asking.h"
#include <cmocka.h>

static int set_up(void **state)
{
	(void)state;
	asking_start();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	asking_stop();
	return 0;
}

/* A question in every cut, of known and unknown length: one answer. */
static void expect(struct question q, const char *answer)
{
	static const size_t pieces[] = {0, 1, 2, 7, 64};
	size_t i;

	for (i = 0; i < 2 * sizeof(pieces) / sizeof(pieces[0]); i++) {
		q.piece = pieces[i / 2];
		q.unknown_length = i % 2 == 1;
		assert_string_equal(asking(&q), answer);
	}
}

static void json(enum endpoint endpoint, const char *text, const char *answer)
{
	expect((struct question){.endpoint = endpoint, .body = text, .size = strlen(text)}, answer);
}

static void reduce(const char *text, const char *answer)
{
	json(ENDPOINT_REDUCE, text, answer);
}

static void query(const char *text, const char *answer)
{
	expect((struct question){.query = text}, answer);
}

/* A .npy file of a dictionary and data. */
static size_t npy(char *out, const char *dictionary, const void *data, size_t size)
{
	size_t length = strlen(dictionary) + 1;

	memcpy(out, "\x93NUMPY\x01\0", 8);
	out[8] = (char)length;
	out[9] = 0;
	memcpy(out + 10, dictionary, length - 1);
	out[10 + length - 1] = '\n';
	memcpy(out + 10 + length, data, size);
	return 10 + length + size;
}

#define SHORTS "{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }"

static void test_json_jobs(void **state)
{
	(void)state;
	reduce("{\"op\":[\"sum\",\"max\"],\"data\":[1,2,3.5]}", "sum=6.5 max=3.5");
	reduce("{\"op\":\"sum\",\"data\":[[1,2],[3,4]],\"axis\":0}", "sum=4,6");
	reduce("{\"data\":[1.5,NaN],\"nan\":\"omit\",\"op\":\"sum\"}", "sum=1.5");
	reduce("{\"op\":\"dot\",\"data\":[1,2,3],\"with\":{\"data\":[4,5,6]}}", "dot=32");
	reduce("{\"op\":\"sum\",\"base64\":\"AQL/\",\"dtype\":\"int8\"}", "sum=2");
	reduce("{\"op\":\"sum\",\"data\":[1,2,3,4],\"segments\":[0,1,1,4]}", "sum=1,0,9");
	reduce("{\"op\":\"max\",\"data\":[1,2],\"segments\":[0,0,2],\"empty\":\"null\"}",
	       "max=null,2");
	reduce("{\"op\":\"sum\",\"d\\u0061ta\":[1,2]}", "sum=3");
	reduce("{\"op\":\"sum\",\"data\":[0.1,0.2],\"dtype\":\"float32\",\"out_dtype\":"
	       "{\"sum\":\"float64\"}}",
	       "sum=0.30000000447034836");
	json(ENDPOINT_SCAN, "{\"op\":\"sum\",\"data\":[1,2,3],\"exclusive\":true}", "sum=0,1,3");
}

static void test_json_errors(void **state)
{
	static const struct {
		const char *text, *answer;
	} cases[] = {
		{"{", "bad_json"},
		{"{\"op\":\"sum\",\"data\":[1,2}", "bad_json"},
		{"{\"op\":\"sum\",\"data\":[1,2]]}", "bad_json"},
		{"{\"op\":\"sum\",\"data\":[1]2}", "bad_json"},
		{"{\"op\":\"sum\",\"data\":[1],\"data\":[1]}", "bad_json"},
		{"{\"op\":\"sum\",\"data\":[1,,2]}", "bad_json@/data"},
		/* an error of JSON goes first, wherever it stands */
		{"{\"opp\":\"sum\",\"data\":[1,,2]}", "bad_json"},
		{"{\"op\":\"sum\",\"data\":[null,01]}", "bad_json"},
		{"[1]", "bad_job@"},
		{"{\"data\":[1]}", "bad_job@/op"},
		{"{\"op\":\"sum\"}", "bad_job@"},
		{"{\"op\":\"sum\",\"data\":[1],\"file\":\"a\"}", "bad_job@/file"},
		{"{\"op\":\"sum\",\"data\":[1],\"a/b~c\":1}", "unknown_member@/a~1b~0c"},
		{"{\"op\":\"nope\",\"data\":[1]}", "unknown_op@/op"},
		{"{\"op\":[\"sum\",\"nope\"],\"data\":[1]}", "unknown_op@/op/1"},
		{"{\"op\":[],\"data\":[1]}", "bad_value@/op"},
		{"{\"op\":5,\"data\":[1]}", "bad_value@/op"},
		{"{\"op\":\"lp:0.5\",\"data\":[1]}", "bad_value@/op"},
		{"{\"op\":\"sum\",\"data\":[1],\"dtype\":\"complex64\"}", "bad_dtype@/dtype"},
		{"{\"op\":\"sum\",\"data\":[[1],[2,3]]}", "bad_shape@/data/1"},
		{"{\"op\":\"sum\",\"data\":[[1,2],[3,2.5]],\"dtype\":\"int8\"}",
		 "bad_value@/data/1/1"},
		{"{\"op\":\"sum\",\"data\":{}}", "bad_value@/data"},
		{"{\"op\":\"sum\",\"data\":\"x\"}", "bad_value@/data"},
		{"{\"op\":\"sum\",\"data\":[1],\"shape\":[1]}", "bad_job@/shape"},
		{"{\"op\":\"sum\",\"data\":[1],\"byteorder\":\"big\"}", "bad_job@/byteorder"},
		{"{\"op\":\"sum\",\"data\":[1],\"kind\":\"reduce\"}", "bad_job@/kind"},
		{"{\"op\":\"sum\",\"data\":[1],\"parts\":[]}", "bad_job@/parts"},
		{"{\"op\":\"sum\",\"part\":0}", "bad_job@/part"},
		{"{\"op\":\"sum\",\"array\":\"x\"}", "no_such_array@/array"},
		{"{\"op\":\"sum\",\"data\":[1],\"cache\":\"use\"}", "bad_job@/cache"},
		{"{\"op\":\"sum\",\"data\":[1],\"priority\":1}", "not_implemented@/priority"},
		{"{\"op\":\"sum\",\"data\":[1],\"priority\":1}", "not_implemented@/priority"},
		{"{\"op\":\"sum\",\"data\":[1],\"partial\":1}", "bad_value@/partial"},
		{"{\"op\":\"sum\",\"data\":[1.5],\"partial\":true}", "bad_job@/partial"},
		{"{\"op\":\"sum\",\"data\":[1],\"axis\":0,\"partial\":true}", "bad_job@/partial"},
		{"{\"op\":\"sum\",\"file\":\"a\",\"format\":\"hdf5\"}", "not_implemented@/format"},
		{"{\"op\":\"sum\",\"data\":[1],\"segments\":{\"array\":\"x\"}}",
		 "no_such_array@/segments/array"},
		{"{\"op\":\"sum\",\"data\":[1],\"segments\":[1]}", "bad_value@/segments/0"},
		{"{\"op\":\"sum\",\"data\":[1],\"segments\":[0,1,0]}", "bad_value@/segments/2"},
		{"{\"op\":\"sum\",\"data\":[1],\"segments\":[0,0.5]}", "bad_value@/segments/1"},
		{"{\"op\":\"sum\",\"data\":[1],\"segments\":[]}", "bad_value@/segments"},
		{"{\"op\":\"sum\",\"base64\":\"AQ==\"}", "bad_job@/dtype"},
		{"{\"op\":\"sum\",\"base64\":\"A\",\"dtype\":\"int8\"}", "bad_value@/base64"},
		{"{\"op\":\"sum\",\"base64\":\"AQI=\",\"dtype\":\"int32\"}", "bad_shape"},
		{"{\"op\":\"dot\",\"data\":[1],\"with\":[1]}", "bad_value@/with"},
		{"{\"op\":\"dot\",\"data\":[1],\"with\":{}}", "bad_job@/with"},
		{"{\"op\":\"dot\",\"data\":[1],\"with\":{\"data\":[1],\"op\":1}}",
		 "unknown_member@/with/op"},
		{"{\"op\":\"dot\",\"data\":[1],\"with\":{\"data\":[true,1]}}",
		 "bad_value@/with/data/1"},
		{"{\"op\":\"sum\",\"data\":[1],\"determinism\":\"fast\"}",
		 "bad_value@/determinism"},
		{"{\"op\":\"sum\",\"data\":[1],\"bits\":1}", "bad_value@/bits"},
		{"{\"op\":\"var\",\"data\":[1],\"ddof\":-1}", "bad_value@/ddof"},
		{"{\"op\":\"var\",\"data\":[1],\"ddof\":99999999999999999999}", "bad_value"},
		{"{\"op\":\"sum\",\"data\":[1],\"axis\":1.5}", "bad_value@/axis"},
		{"{\"op\":\"sum\",\"data\":[1],\"axis\":[0,\"x\"]}", "bad_value@/axis/1"},
		{"{\"op\":\"sum\",\"data\":[1],\"backend\":\"tpu\"}", "bad_value@/backend"},
		{"{\"op\":\"sum\",\"data\":[1],\"timeout_ms\":0}", "bad_value@/timeout_ms"},
		{"{\"op\":\"sum\",\"data\":[1],\"output\":\"x\"}", "bad_value@/output"},
		{"{\"op\":\"sum\",\"data\":[1],\"output\":{}}", "bad_job@/output"},
		{"{\"op\":\"sum\",\"data\":[1],\"output\":{\"file\":\"x\",\"mode\":1}}",
		 "unknown_member@/output/mode"},
		{"{\"op\":[\"sum\",\"max\"],\"data\":[1],\"output\":{\"file\":\"x\"}}",
		 "bad_job@/output"},
		{"{\"op\":\"sum\",\"data\":[1],\"out_dtype\":{\"max\":\"int8\"}}",
		 "bad_job@/out_dtype/max"},
		{"{\"op\":\"sum\",\"data\":[1],\"out_dtype\":\"x\"}", "bad_dtype@/out_dtype"},
		{"{\"op\":\"sum\",\"files\":[]}", "bad_value@/files"},
		{"{\"op\":\"sum\",\"files\":[\"a\",\"\"]}", "bad_value@/files/1"},
		/* the first in the order of the document */
		{"{\"op\":\"nope\",\"axis\":1.5,\"data\":[true,1]}", "unknown_op@/op"},
		{"{\"data\":[true,1],\"op\":\"nope\"}", "bad_value@/data/1"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		reduce(cases[i].text, cases[i].answer);
	/* a zero byte is not the end of a document */
	expect((struct question){.body = "{\"op\":\"sum\",\"data\":[1]}\0x", .size = 25},
	       "bad_json");
	json(ENDPOINT_SCAN, "{\"op\":[\"sum\",\"max\"],\"data\":[1]}", "bad_job@/op");
	json(ENDPOINT_SCAN, "{\"op\":[\"sum\"],\"data\":[1]}", "sum=1");
}

static void test_nesting(void **state)
{
	char text[200] = "{\"op\":\"sum\",\"data\":";
	char *end = text + strlen(text);

	(void)state;
	memset(end, '[', 32);
	end[32] = '7';
	memset(end + 33, ']', 32);
	strcpy(end + 65, "}");
	reduce(text, "sum=7");
	memset(end, '[', 33);
	end[33] = '7';
	memset(end + 34, ']', 33);
	strcpy(end + 67, "}");
	reduce(text, "bad_json");
}

static void test_batch(void **state)
{
	(void)state;
	json(ENDPOINT_BATCH,
	     "{\"jobs\":[{\"kind\":\"reduce\",\"op\":\"sum\",\"data\":[1,2]},"
	     "{\"kind\":\"scan\",\"op\":\"max\",\"data\":[1,3,2]},"
	     "{\"kind\":\"reduce\",\"opp\":1},{\"op\":\"sum\",\"data\":[1]}]}",
	     "sum=3 | max=1,3,3 | unknown_member@/opp | bad_job@/kind");
	json(ENDPOINT_BATCH,
	     "{\"jobs\":[7,{\"kind\":\"reduce\",\"op\":\"sum\",\"data\":[1,\"x\"]}]}",
	     "bad_job@ | bad_value@/data/1");
	json(ENDPOINT_BATCH, "{\"jobs\":[]}", "");
	json(ENDPOINT_BATCH, "{\"jobs\":[1,1,1,1,1]}", "too_large@/jobs");
	json(ENDPOINT_BATCH, "{\"jobs\":3}", "bad_value@/jobs");
	json(ENDPOINT_BATCH, "{}", "bad_job@/jobs");
	json(ENDPOINT_BATCH, "{\"jobs\":[],\"x\":1}", "unknown_member@/x");
	json(ENDPOINT_BATCH, "[]", "bad_job@");
	/* the envelope must be JSON as a whole */
	json(ENDPOINT_BATCH, "{\"jobs\":[{\"kind\":\"reduce\",\"op\":\"nope\",\"data\":[1 2]}]}",
	     "bad_json");
	json(ENDPOINT_BATCH, "{\"jobs\":[{\"kind\":\"reduce\",\"op\":\"sum\",\"data\":[1 2]}]}",
	     "bad_json@/data");
}

static void test_query_jobs(void **state)
{
	(void)state;
	query("op=sum,max&data=1,2,3.5", "sum=6.5 max=3.5");
	query("op=sum&op=min&data=1&data=2,-3", "sum=0 min=-3");
	query("op=sum&data=%5B%5B1,2%5D,%5B3,4%5D%5D&axis=1&keepdims", "sum=3,7");
	query("op=sum&data=1,2,3&segments=0,1,3", "sum=1,5");
	query("op=sum&data=1e3,+1", "bad_value@/data");
	query("op=sum&data=1,x", "bad_value@/data");
	query("op=sum,nope&data=1", "unknown_op@/op");
	query("op=sum&data=1&nope=3", "unknown_member@/nope");
	query("op=sum&data=1&nan=omit&nan=omit", "bad_job@/nan");
	query("op=sum&data=1&nan", "bad_value@/nan");
	query("op=sum&data=1&bits=yes", "bad_value@/bits");
	query("op=var&data=1&ddof=x", "bad_value@/ddof");
	query("op=sum&data=1&with=2", "bad_job@/with");
	query("op=sum&data=1&part=2", "bad_job@/part");
	query("op=sum&data=%zz", "bad_value@/data");
	query("op=sum&data=1&%00=2", "bad_value");
	query("op=sum", "bad_job@");
	query("data=1", "bad_job@/op");
	query("op=sum&dtype=int8", "sum=0");
	query(NULL, "bad_json");
	reduce("", "bad_json");
	expect((struct question){.query = "op=sum", .body = "{\"op\":\"sum\"}", .size = 12},
	       "bad_job");
	expect((struct question){.endpoint = ENDPOINT_BATCH, .query = "op=sum&data=1"}, "bad_json");
}

static void test_npy_bodies(void **state)
{
	static const int16_t shorts[] = {1, 2, -9, 7};
	char body[256];
	struct question q = {.query = "op=sum,argmin", .body = body};

	(void)state;
	q.size = npy(body, SHORTS, shorts, 6);
	expect(q, "sum=-6 argmin=2");
	q.type = "application/x-npy";
	expect(q, "sum=-6 argmin=2");
	q.type = "application/octet-stream; x=y";
	expect(q, "sum=-6 argmin=2");
	q.query = "op=sum&dtype=int16&format=npy";
	expect(q, "sum=-6");
	q.query = "op=sum&dtype=int32";
	expect(q, "bad_dtype");
	q.query = "op=sum&shape=3";
	expect(q, "bad_job@/shape");
	q.query = "op=sum&format=raw";
	expect(q, "bad_job@/format");
	q.query = "op=sum&file=x";
	expect(q, "bad_job@/file");
	q.query = NULL;
	expect(q, "bad_job@/op");
	q.query = "op=sum";
	q.type = "text/plain";
	expect(q, "unsupported_media_type");
	q.type = NULL;
	q.endpoint = ENDPOINT_BATCH;
	expect(q, "unsupported_media_type");
	q.endpoint = ENDPOINT_REDUCE;
	q.size -= 1;
	expect(q, "bad_npy");
	q.size = npy(body, SHORTS, shorts, 8);
	expect(q, "bad_npy");
	q.size = 20;
	expect(q, "bad_npy");
	/* of the bytes: what comes after a failure at the start */
	q.query = "op=sum&axis=3";
	q.size = npy(body, SHORTS, shorts, 6);
	expect(q, "bad_value@/axis");
	q.query = "op=sum";
	q.size = npy(body, "{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }", shorts, 6);
	expect(q, "bad_dtype");
	q.type = "application/x-npy";
	q.body = "PK\3\4 no array at all";
	q.size = 21;
	expect(q, "bad_npy");
	q.size = 0;
	expect(q, "bad_npy");
}

static void test_raw_bodies(void **state)
{
	struct question q = {.query = "op=sum&dtype=uint16", .body = "\1\0\2\0\3\0", .size = 6};

	(void)state;
	expect(q, "sum=6");
	q.query = "op=sum&dtype=uint16&byteorder=big";
	expect(q, "sum=1536");
	q.query = "op=sum&dtype=uint8&shape=2,3&axis=0";
	expect(q, "sum=1,3,2");
	q.query = "op=sum&dtype=uint16&offset=2";
	expect(q, "sum=5");
	q.query = "op=sum&dtype=uint16&offset=7";
	expect(q, "bad_shape@/offset");
	q.query = "op=sum&dtype=uint32";
	expect(q, "bad_shape");
	q.query = "op=sum&dtype=uint16&byteorder=middle";
	expect(q, "bad_value@/byteorder");
	q.query = "op=sum&dtype=uint16&shape=4294967296,4294967296";
	expect(q, "bad_shape@/shape");
	q.query = "op=sum&dtype=uint16&shape=2";
	q.unknown_length = true;
	assert_string_equal(asking(&q), "bad_shape");
	q.query = "op=sum&dtype=uint16&shape=4";
	assert_string_equal(asking(&q), "bad_shape");
	q.unknown_length = false;
	assert_string_equal(asking(&q), "bad_shape@/shape");
	q.query = "op=sum&dtype=uint16&shape=4";
	q.body = "\1";
	q.size = 1;
	q.type = "application/json";
	expect(q, "bad_job");
}

static void parts(enum endpoint endpoint, const char *job, const char *rest, size_t size,
		  const char *answer)
{
	char body[1024];
	const size_t length = strlen(job);

	memcpy(body, job, length);
	memcpy(body + length, rest, size);
	expect((struct question){.endpoint = endpoint,
				 .type = "application/vnd.foldd",
				 .body = body,
				 .size = length + size,
				 .job_length = (int64_t)length},
	       answer);
}

static void test_parts(void **state)
{
	char file[256];
	static const int64_t offsets[] = {0, 1, 3};
	const size_t size =
		npy(file, "{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }", offsets, 24);
	char job[512];

	(void)state;
	parts(ENDPOINT_REDUCE,
	      "{\"op\":\"sum\",\"part\":0,\"parts\":[{\"size\":3,\"dtype\":\"int8\"}]}", "\1\2\3",
	      3, "sum=6");
	/* dot: `with` comes first, x is pushed; then the other way round */
	parts(ENDPOINT_REDUCE,
	      "{\"op\":\"dot\",\"part\":1,\"with\":{\"part\":0},\"parts\":[{\"size\":2,\"dtype\":"
	      "\"int8\"},{\"size\":2,\"dtype\":\"int8\"}]}",
	      "\1\2\3\4", 4, "dot=11");
	parts(ENDPOINT_REDUCE,
	      "{\"op\":\"dot\",\"part\":0,\"with\":{\"part\":1},\"parts\":[{\"size\":2,\"dtype\":"
	      "\"int8\"},{\"size\":2,\"dtype\":\"int8\"}]}",
	      "\1\2\3\4", 4, "dot=11");
	/* one part twice in one job, and in two jobs; an empty one */
	parts(ENDPOINT_REDUCE,
	      "{\"op\":\"dot\",\"part\":0,\"with\":{\"part\":0},\"parts\":[{\"size\":2,\"dtype\":"
	      "\"int8\"}]}",
	      "\3\4", 2, "dot=25");
	parts(ENDPOINT_BATCH,
	      "{\"parts\":[{\"size\":2,\"dtype\":\"int8\"},{\"size\":0,\"dtype\":\"int8\"},{"
	      "\"size\":2,"
	      "\"dtype\":\"uint8\",\"shape\":[1,2]}],\"jobs\":[{\"kind\":\"reduce\",\"op\":\"sum\","
	      "\"part\":0},{\"kind\":\"scan\",\"op\":\"sum\",\"part\":0},{\"kind\":\"reduce\","
	      "\"op\":\"sum\",\"part\":1},{\"kind\":\"reduce\",\"op\":\"max\",\"part\":2,\"axis\":"
	      "1}]}",
	      "\3\4\5\6", 4, "sum=7 | sum=3,7 | sum=0 | max=6");
	snprintf(job, sizeof(job),
		 "{\"op\":\"sum\",\"part\":1,\"segments\":{\"part\":0},\"parts\":[{\"size\":%zu,"
		 "\"format\":\"npy\"},{\"size\":3,\"dtype\":\"int8\"}]}",
		 size);
	memcpy(file + size, "\1\2\3", 3);
	parts(ENDPOINT_REDUCE, job, file, size + 3, "sum=1,5");
}

static void test_parts_errors(void **state)
{
	static const struct {
		const char *job, *answer;
	} cases[] = {
		/* two bytes follow */
		{"{\"op\":\"sum\",\"part\":1,\"parts\":[{\"size\":2,\"dtype\":\"int8\"}]}",
		 "bad_value@/part"},
		{"{\"op\":\"sum\",\"part\":0}", "bad_value@/part"},
		{"{\"op\":\"sum\",\"part\":0,\"parts\":[{\"size\":2}]}", "bad_job@/parts/0/dtype"},
		{"{\"op\":\"sum\",\"part\":0,\"parts\":[{\"dtype\":\"int8\"}]}",
		 "bad_job@/parts/0/size"},
		{"{\"op\":\"sum\",\"part\":0,\"parts\":[{\"size\":2,\"dtype\":\"int8\",\"x\":1}]}",
		 "unknown_member@/parts/0/x"},
		{"{\"op\":\"sum\",\"part\":0,\"parts\":[{\"size\":2,\"dtype\":\"int32\"}]}",
		 "bad_shape"},
		{"{\"op\":\"sum\",\"part\":0,\"parts\":[{\"size\":2,\"dtype\":\"int8\",\"shape\":["
		 "3]}"
		 "]}",
		 "bad_shape@/parts/0/shape"},
		{"{\"op\":\"sum\",\"part\":0,\"parts\":[3]}", "bad_value@/parts/0"},
		{"{\"op\":\"sum\",\"part\":0,\"parts\":{}}", "bad_value@/parts"},
		{"{\"op\":\"sum\",\"part\":0,\"dtype\":\"int16\",\"parts\":[{\"size\":2,\"dtype\":"
		 "\"int8\"}]}",
		 "bad_dtype@/dtype"},
		{"{\"op\":\"sum\",\"part\":0,\"parts\":[{\"size\":2,\"format\":\"npy\"}]}",
		 "bad_npy"},
		{"{\"op\":\"nope\",\"part\":0,\"parts\":[{\"size\":2}]}", "unknown_op@/op"},
		{"{\"parts\":[{\"size\":2}],\"op\":\"nope\",\"part\":0}", "bad_job@/parts/0/dtype"},
	};
	struct question q = {.type = "application/vnd.foldd", .body = "{}", .size = 2};
	struct question kept = {
		.type = "application/vnd.foldd",
		.body = "{\"op\":\"dot\",\"part\":0,\"with\":{\"part\":0},\"parts\":"
			"[{\"size\":65537,\"dtype\":\"int8\"}]}",
		.unknown_length = true};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		parts(ENDPOINT_REDUCE, cases[i].job, "\1\2", 2, cases[i].answer);
	parts(ENDPOINT_BATCH,
	      "{\"parts\":[{\"size\":2,\"format\":\"npy\"}],\"jobs\":[{\"kind\":\"reduce\",\"op\":"
	      "\"sum\",\"part\":0},{\"kind\":\"reduce\",\"op\":\"sum\",\"data\":[1]}]}",
	      "\1\2", 2, "bad_npy | sum=1");
	/* length known: judged at once, with the pointer; unknown: as it comes */
	parts(ENDPOINT_REDUCE,
	      "{\"op\":\"sum\",\"part\":0,\"parts\":[{\"size\":3,\"dtype\":\"int8\"}]}", "\1\2", 2,
	      "bad_shape@/parts");
	parts(ENDPOINT_REDUCE,
	      "{\"op\":\"sum\",\"part\":0,\"parts\":[{\"size\":1,\"dtype\":\"int8\"}]}", "\1\2", 2,
	      "bad_shape@/parts");
	/* two users: kept, and over limits.spool, before it comes */
	kept.job_length = (int64_t)(kept.size = strlen(kept.body));
	assert_string_equal(asking(&kept), "too_large@/parts");
	expect(q, "bad_job");
	q.job_length = 3;
	q.unknown_length = false;
	assert_string_equal(asking(&q), "bad_job");
	q.unknown_length = true;
	assert_string_equal(asking(&q), "bad_json");
	q.type = NULL;
	q.job_length = 2;
	expect(q, "bad_job");
}

static void test_limits(void **state)
{
	const size_t size = (1 << 20) + 1;
	char *body = malloc(size);
	struct question q = {.body = body};

	(void)state;
	assert_non_null(body);
	memset(body, ' ', size);
	q.size = (1 << 16) + 1;
	q.piece = 1000;
	assert_string_equal(asking(&q), "too_large");
	q.unknown_length = true;
	assert_string_equal(asking(&q), "too_large");
	q.size -= 1;
	assert_string_equal(asking(&q), "bad_json");
	q.query = "op=sum&dtype=int8";
	q.size = size;
	assert_string_equal(asking(&q), "too_large");
	q.unknown_length = false;
	assert_string_equal(asking(&q), "too_large");
	q.size -= 1;
	assert_string_equal(asking(&q), "sum=33554432");
	free(body);
}

static void test_files(void **state)
{
	static const int16_t shorts[] = {1, 2, -9};
	char file[256];
	size_t size = npy(file, SHORTS, shorts, 6);

	(void)state;
	asking_write("a.npy", file, size);
	asking_write("b.npy", file, size);
	asking_write("raw", "\1\2\3\4", 4);
	reduce("{\"op\":\"sum\",\"file\":\"a.npy\"}", "sum=-6");
	reduce("{\"op\":[\"sum\",\"argmin\"],\"files\":\"*.npy\"}", "sum=-12 argmin=2");
	query("op=sum&file=raw&dtype=uint8&offset=1", "sum=9");
	query("op=sum&file=raw", "bad_job@");
	query("op=sum&file=none", "file_not_found@/file");
	query("op=sum&file=/etc/passwd", "path_forbidden@/file");
	query("op=sum&file=a.npy&format=raw", "bad_job@/dtype");
	query("op=sum&files=a.npy&files=a.npy&files=a.npy&files=b.npy", "too_large@/files");
	json(ENDPOINT_SCAN, "{\"op\":\"sum\",\"file\":\"a.npy\"}", "sum=1,3,-6");
}

static void test_output(void **state)
{
	char bytes[2048];
	const char *job = "{\"op\":\"sum\",\"data\":[1,2,3],\"output\":{\"file\":\"out.npy\"}}";
	const char *bad = "{\"op\":\"sum\",\"data\":[1,9223372036854775807],\"output\":{\"file\":"
			  "\"bad.npy\"}}";
	struct question q = {.endpoint = ENDPOINT_SCAN, .body = job, .size = strlen(job)};
	unsigned before = asking_count();
	static const int64_t sums[] = {1, 3, 6};
	size_t size;

	(void)state;
	assert_string_equal(asking(&q), "out.npy");
	size = asking_read("out.npy", bytes, sizeof(bytes));
	assert_true(size > 24 && (size - 24) % 64 == 0);
	assert_memory_equal(bytes + size - 24, sums, 24);
	assert_non_null(
		strstr(bytes + 10, "{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }"));
	assert_string_equal(asking(&q), "file_exists@/output");
	q.body = bad;
	q.size = strlen(bad);
	assert_string_equal(asking(&q), "integer_overflow");
	assert_int_equal(asking_count(), before + 1); /* nothing is half done */
	q.endpoint = ENDPOINT_REDUCE;
	q.body = "{\"op\":\"max\",\"data\":[1.5],\"segments\":[0,0,1],\"empty\":\"null\","
		 "\"output\":{\"file\":\"out.npy\",\"overwrite\":true}}";
	q.size = strlen(q.body);
	assert_string_equal(asking(&q), "out.npy");
	size = asking_read("out.npy", bytes, sizeof(bytes));
	assert_memory_equal(bytes + size - 16, "\0\0\0\0\0\0\xf8\x7f\0\0\0\0\0\0\xf8\x3f", 16);
	q.body = "{\"op\":\"max\",\"data\":[1],\"segments\":[0,0,1],\"empty\":\"null\","
		 "\"output\":{\"file\":\"int.npy\"}}";
	q.size = strlen(q.body);
	assert_string_equal(asking(&q), "bad_job@/empty");
	assert_int_equal(asking_count(), before + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_jobs),    cmocka_unit_test(test_json_errors),
		cmocka_unit_test(test_nesting),      cmocka_unit_test(test_batch),
		cmocka_unit_test(test_query_jobs),   cmocka_unit_test(test_npy_bodies),
		cmocka_unit_test(test_raw_bodies),   cmocka_unit_test(test_parts),
		cmocka_unit_test(test_parts_errors), cmocka_unit_test(test_limits),
		cmocka_unit_test(test_files),        cmocka_unit_test(test_output),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

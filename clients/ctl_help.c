#include "config.h"
#include "clients/ctl_help.h"

const char *ctl_command_name(enum ctl_command command)
{
	static const char *const names[CTL_COMMAND_COUNT] = {
		[CTL_REDUCE] = "reduce", [CTL_SCAN] = "scan",    [CTL_BATCH] = "batch",
		[CTL_MERGE] = "merge",   [CTL_ARRAYS] = "array", [CTL_INFO] = "info",
	};

	return names[command];
}

static const char text_server[] =
	"Server:\n"
	"  --url URL            http://HOST:PORT (default: $FOLDD_URL, else\n"
	"                       http://127.0.0.1:7460); proxies are not used\n"
	"  --unix PATH          a UNIX socket instead\n";

static const char text_exit[] =
	"Exit status:\n"
	"  0  done\n"
	"  1  the server refused or failed a job: code, detail and place on stderr\n"
	"  2  the command line makes no sense\n"
	"  3  no connection, or the answer is not foldd's\n"
	"  4  the server is busy or shutting down (429, 503): try again later\n"
	"  5  a local file or stream cannot be read or written, or memory is short\n";

static const char text_main[] =
	"Usage: foldctl COMMAND [OPTION...] [OPERAND...]\n"
	"\n"
	"Asks foldd for sums, maxima, norms, means, variances and prefix sums.\n"
	"\n"
	"Commands:\n"
	"  reduce OP[,OP...]    an array in, one number (or one an axis line, or one a\n"
	"                       segment) an operation out\n"
	"  scan OP              an array in, the array of its prefixes out\n"
	"  batch [FILE]         many jobs in one request\n"
	"  merge FILE...        partial results of parts, to the results of the whole\n"
	"  array VERB [NAME]    arrays that stay in the server's memory: put, list, show,\n"
	"                       get, delete\n"
	"  info                 what the server is, can and allows\n"
	"\n"
	"foldctl COMMAND --help says more; foldctl --version says which this is.\n"
	"\n"
	"  foldctl reduce sum,max 1 2 3.5\n"
	"  foldctl reduce mean -f x.npy\n"
	"  foldctl scan sum -f x.npy --npy prefix.npy\n"
	"\n";

static const char text_reduce[] =
	"Usage: foldctl reduce OP[,OP...] [OPTION...] NUMBER...|'[[1, 2], [3, 4]]'\n"
	"       foldctl reduce OP[,OP...] [OPTION...] -f FILE|-\n"
	"       foldctl reduce OP[,OP...] [OPTION...] --path FILE\n"
	"\n"
	"Operations: sum prod sumsq dot mean var std l1 l2 linf lp:P (P >= 1) logsumexp\n"
	"min max argmin argmax count_nonzero count any all. Several come from one\n"
	"reading of the array.\n"
	"\n";

static const char text_scan[] =
	"Usage: foldctl scan OP [OPTION...] NUMBER...|'[[1, 2], [3, 4]]'\n"
	"       foldctl scan OP [OPTION...] -f FILE|-\n"
	"       foldctl scan OP [OPTION...] --path FILE\n"
	"\n"
	"Operations: sum prod min max logsumexp. The result has the shape of the array\n"
	"(without --axis: one axis, the array in C order).\n"
	"\n";

static const char text_array[] =
	"The array, from one of:\n"
	"  NUMBER...            as typed: integers exact, nan and inf taken; a first '['\n"
	"                       begins a JSON array of any depth\n"
	"  -f, --file FILE      a local file, uploaded as it is read: .npy, raw elements\n"
	"                       (with --dtype), or text: numbers between blanks, commas,\n"
	"                       semicolons, newlines, or a JSON array\n"
	"  -                    the same from standard input\n"
	"  --path FILE          a file of the server's, beneath one of its roots\n"
	"  --paths PATTERN      files of the server's (* ? [...]), read as one array in\n"
	"                       order; may be repeated\n"
	"  --array NAME         an array in the server's memory (foldctl array)\n"
	"  --slice FIRST,END    of it: from FIRST up to END of its first axis\n"
	"  --format NAME        npy, raw or text, when the first bytes must not decide\n"
	"  --dtype TYPE         bool int8 int16 int32 int64 uint8 uint16 uint32 uint64\n"
	"                       float16 bfloat16 float32 float64: of raw elements, or to\n"
	"                       round numbers to\n"
	"  --shape N,N...       of raw elements (default: one axis)\n"
	"  --byteorder ORDER    of raw elements: little (default) or big\n"
	"  --offset BYTES       of raw elements in a file of the server's\n";

static const char text_dot[] =
	"  --with NUMBERS       dot: the second array, '1,2,3' or '[1, 2, 3]', of the\n"
	"                       first one's type (--dtype is for both)\n"
	"  --with-file FILE     dot: a local file; --with-path FILE: the server's;\n"
	"                       --with-array NAME: one that stays in its memory\n";

static const char text_rules[] =
	"\n"
	"The job:\n"
	"  --axis N[,N...]      axes, negative from the end ([]: none)\n"
	"  --segments N,N...    offsets from 0 to the length: one result (one restart of\n"
	"                       a scan) a segment\n"
	"  --segments-file FILE, --segments-path FILE\n"
	"                       the offsets as int64, .npy or raw: local, or the server's\n"
	"  --segments-array NAME\n"
	"                       the same from an array in the server's memory\n"
	"  --determinism RULE   none, ordered (default) or exact\n"
	"  --exact              the correctly rounded result: --determinism exact\n"
	"  --nan RULE           propagate (default), omit or error\n"
	"  --overflow RULE      of integers: error (default), wrap or saturate\n"
	"  --out-dtype TYPE     of the result; OP:TYPE,... for one operation each\n"
	"  --index-base N       index of the first element in the whole\n"
	"  --bits               show the result's bits, too\n"
	"  --backend NAME       auto (default), cpu, cuda, cuda:N\n"
	"  --cache RULE         of the server's files: use (default), refresh or no\n"
	"  --timeout SECONDS    the server gives up after so long\n";

static const char text_rules_reduce[] =
	"  --keepdims           keep reduced axes with length 1\n"
	"  --ddof N             var, std: divide by the count less N (default 0)\n"
	"  --empty-null         null, not an error, where nothing is left\n"
	"  --partial            also give a partial result, for foldctl merge: with\n"
	"                       --exact, or of operations that are exact anyway\n"
	"  -o, --partial-file FILE|-\n"
	"                       write the partial result there; -: nothing else is shown\n";

static const char text_rules_scan[] =
	"  --exclusive          each output is that of the elements before it\n";

static const char text_answer[] =
	"\n"
	"The answer (default: a table):\n"
	"  --rows N, --columns N\n"
	"                       show at most so many of an array (20, 10; 0: all)\n"
	"  --json               the server's JSON as it is, problems too\n"
	"  --npy FILE|-         a .npy file (an .npz of several operations)\n"
	"  --output PATH        the server writes a .npy beneath a writable root\n"
	"  --overwrite          ... even where a file is\n"
	"  --progress           of uploads, on stderr (default: on a terminal)\n"
	"A FILE written here is replaced when complete, a link followed, its mode kept;\n"
	"what is no regular file is written as it is.\n"
	"\n";

static const char text_examples_reduce[] =
	"Examples:\n"
	"  foldctl reduce sum,max 1 2 3.5\n"
	"  foldctl reduce sum 1e16 1 -1e16 --exact --bits\n"
	"  foldctl reduce mean --axis 0 '[[1, 2], [3, 4]]'\n"
	"  foldctl reduce var -f x.npy --ddof 1\n"
	"  foldctl reduce sum -f x.bin --dtype float32 --shape 1000,3 --axis 0\n"
	"  cut -d, -f3 data.csv | tail -n +2 | foldctl reduce mean,std -\n"
	"  foldctl reduce dot -f x.npy --with-file y.npy\n"
	"  foldctl reduce sum,max --array x --slice 0,1000\n"
	"  foldctl reduce sum --path runs/2024.npy --unix /run/foldd/foldd.sock\n"
	"\n";

static const char text_examples_scan[] =
	"Examples:\n"
	"  foldctl scan sum 1 2 3\n"
	"  foldctl scan max -f x.npy --axis 1 --npy -  >running.npy\n"
	"  foldctl scan sum --path x.npy --output prefix.npy\n"
	"\n";

static const char text_batch[] =
	"Usage: foldctl batch [OPTION...] [FILE|-]\n"
	"\n"
	"Sends many jobs in one request and shows each result. FILE (default: standard\n"
	"input) holds an envelope {\"jobs\": [...]}, a JSON list of jobs, or one job a\n"
	"line. A job is an object with kind (reduce or scan), op and a source:\n"
	"  {\"kind\": \"reduce\", \"op\": \"sum\", \"data\": [1, 2, 3]}\n"
	"  {\"kind\": \"scan\", \"op\": \"max\", \"file\": \"x.npy\"}\n"
	"\n"
	"Jobs are numbered from 0. Problems go to stderr; the exit status is 1 when a\n"
	"job failed, 4 when all that failed were turned away by a busy server.\n"
	"\n"
	"  --rows N, --columns N\n"
	"                       show at most so many of an array (20, 10; 0: all)\n"
	"  --json               the server's JSON as it is\n"
	"  --progress           of uploads, on stderr (default: on a terminal)\n"
	"\n"
	"Example:\n"
	"  foldctl batch jobs.jsonl\n"
	"\n";

static const char text_merge[] =
	"Usage: foldctl merge [OPTION...] FILE|-...\n"
	"\n"
	"Merges partial results to the results of the whole: the same bits, in whatever\n"
	"order and however the whole was split. Parts agree in operations, type, and\n"
	"rules of NaN and overflow. FILE holds an answer with `partial` (of --json, of\n"
	"curl, of a batch), base64 (of several, too; line breaks do not matter), or a\n"
	"JSON list of these.\n"
	"\n"
	"  --ddof N             var, std: divide by the count less N (default 0)\n"
	"  --out-dtype TYPE     of the result; OP:TYPE,... for one operation each\n"
	"  --bits               show the result's bits, too\n"
	"  --partial            also give the partial result of all\n"
	"  -o, --partial-file FILE|-\n"
	"                       write the partial result there (a file is replaced when\n"
	"                       complete, others written as they are); -: nothing else\n"
	"                       is shown\n"
	"  --json               the server's JSON as it is, problems too\n"
	"  --progress           of uploads, on stderr (default: on a terminal)\n"
	"\n"
	"Example:\n"
	"  foldctl reduce sum --exact -f 2023.npy -o 2023.partial\n"
	"  foldctl reduce sum --exact -f 2024.npy -o 2024.partial\n"
	"  foldctl merge 2023.partial 2024.partial\n"
	"\n";

static const char text_arrays[] =
	"Usage: foldctl array put NAME [OPTION...] FILE|-\n"
	"       foldctl array put NAME [OPTION...] --path FILE\n"
	"       foldctl array list\n"
	"       foldctl array show NAME\n"
	"       foldctl array get NAME -o FILE|-\n"
	"       foldctl array delete NAME\n"
	"\n"
	"Arrays that stay in the server's memory: jobs name them (foldctl reduce OP\n"
	"--array NAME) and nothing is sent. put takes the place of an array of that name;\n"
	"jobs under way keep the one they began with.\n"
	"\n"
	"  FILE, -              a local file or standard input: .npy, raw elements (with\n"
	"                       --dtype), or text; uploaded as it is read\n"
	"  --path FILE          a file of the server's, which it reads itself\n"
	"  --paths PATTERN      several (* ? [...]) as one array; may be repeated\n"
	"  --dtype TYPE, --shape N,N..., --byteorder ORDER, --offset BYTES, --format NAME\n"
	"                       as in foldctl reduce --help\n"
	"  --new                put: only where there is no array of that name\n"
	"  -o, --npy FILE|-     get: where the .npy is written (a file is replaced when\n"
	"                       complete)\n"
	"  --json               the server's JSON as it is, problems too\n"
	"  --progress           of uploads, on stderr (default: on a terminal)\n"
	"\n"
	"Examples:\n"
	"  foldctl array put x x.npy\n"
	"  foldctl reduce sum,mean --array x --slice 0,1000\n"
	"\n";

static const char text_info[] =
	"Usage: foldctl info [OPTION...]\n"
	"\n"
	"Shows the server's version, backends with their measured speeds, operations,\n"
	"limits (sizes in bytes) and types; --json has more.\n"
	"\n"
	"  --json               the server's JSON as it is\n"
	"\n";

void ctl_help_print(FILE *stream)
{
	fputs(text_main, stream);
	fputs(text_exit, stream);
}

void ctl_help_print_command(enum ctl_command command, FILE *stream)
{
	switch (command) {
	case CTL_REDUCE:
		fputs(text_reduce, stream);
		fputs(text_array, stream);
		fputs(text_dot, stream);
		fputs(text_rules, stream);
		fputs(text_rules_reduce, stream);
		fputs(text_answer, stream);
		fputs(text_examples_reduce, stream);
		break;
	case CTL_SCAN:
		fputs(text_scan, stream);
		fputs(text_array, stream);
		fputs(text_rules, stream);
		fputs(text_rules_scan, stream);
		fputs(text_answer, stream);
		fputs(text_examples_scan, stream);
		break;
	case CTL_BATCH:
		fputs(text_batch, stream);
		break;
	case CTL_MERGE:
		fputs(text_merge, stream);
		break;
	case CTL_ARRAYS:
		fputs(text_arrays, stream);
		break;
	default:
		fputs(text_info, stream);
	}
	fputs(text_server, stream);
	fputc('\n', stream);
	fputs(text_exit, stream);
}

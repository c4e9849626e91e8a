#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include <fnmatch.h>
#include "daemon/glob.h"

static void check(const char *pattern, const char *name)
{
	bool ours = glob_match(pattern, strlen(pattern), name);
	bool libc = fnmatch(pattern, name, FNM_PERIOD) == 0;

	if (ours != libc)
		fail_msg("pattern \"%s\" name \"%s\": ours %d, fnmatch %d", pattern, name, ours,
			 libc);
}

static void agrees_with_fnmatch(void **state)
{
	static const char *const patterns[] = {
		"",       "*",       "**",    "?",     "a*",     "*a",     "*a*",   "a?c",
		"[abc]x", "[!a]b",   "[^a]b", "[a-c]", "[]a]x",  "[!]a]x", "[a-]x", "[a",
		"a[",     "\\*",     "\\?x",  "\\\\",  ".*",     "\\.a*",  "*.npy", "[.]a",
		"x[\\]]", "[\\a-c]", "*?*a",  "a*b*c", "*[ab]*", "?.b",    "[*]",
	};
	static const char *const names[] = {
		"",   "a",  "b",   "ab",    "abc",  "x",     "ax",  "bx",       "]x", "-x",
		"[a", "[",  "a[",  "*",     "?x",   "\\",    "a\\", ".",        ".a", ".abc",
		"x]", "aa", "a.b", "x.npy", ".npy", "acbbc", "!b",  "\xc3\xa9", "a-", "^b",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++)
			check(patterns[i], names[j]);
}

/* Without ranges out of order, which glibc and POSIX leave open. */
static void agrees_on_random_patterns(void **state)
{
	static const char letters[] = "ab.*?\\x";
	char pattern[9], name[9];

	(void)state;
	srand(7);
	for (int round = 0; round < 200000; round++) {
		size_t m = (size_t)rand() % 8, n = (size_t)rand() % 8;

		for (size_t i = 0; i < m; i++)
			pattern[i] = letters[(size_t)rand() % (sizeof(letters) - 1)];
		for (size_t i = 0; i < n; i++)
			name[i] = "ab.x*"[rand() % 5];
		pattern[m] = name[n] = '\0';
		if (m > 0 && pattern[m - 1] == '\\')
			continue; /* fnmatch never matches it; for us it is itself */
		check(pattern, name);
	}
}

static void many_stars_end_soon(void **state)
{
	char pattern[2049], name[257];
	clock_t begin = clock();

	(void)state;
	for (size_t i = 0; i < 2048; i += 2)
		memcpy(pattern + i, "*a", 2);
	strcpy(pattern + 2046, "*b");
	memset(name, 'a', 256);
	name[256] = '\0';
	assert_false(glob_match(pattern, strlen(pattern), name));
	memcpy(pattern + 100, "*b", 3);
	assert_false(glob_match(pattern, strlen(pattern), name));
	assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 1.0);
}

static void tells_patterns(void **state)
{
	char out[16];

	(void)state;
	assert_true(glob_is_pattern("a*", 2));
	assert_true(glob_is_pattern("[a]", 3));
	assert_false(glob_is_pattern("[a", 2));
	assert_false(glob_is_pattern("\\*\\?\\[a]", 8));
	assert_false(glob_is_pattern("a/*", 1));
	glob_unescape(out, "\\*a\\\\b\\", 7);
	assert_string_equal(out, "*a\\b\\");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_fnmatch),
		cmocka_unit_test(agrees_on_random_patterns),
		cmocka_unit_test(many_stars_end_soon),
		cmocka_unit_test(tells_patterns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

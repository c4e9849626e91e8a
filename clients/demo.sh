#!/usr/bin/env bash
# Starts a foldd of its own and shows real jobs: each command, its answer, and
# that the answer is right. Fails when one is wrong. Run by ./dev demo, which
# sets FOLDD_BUILD (the folder of foldd and foldctl; default: build).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "${FOLDD_BUILD:-$here/../build}" && pwd)
work=$(mktemp -d)
daemon=

finish() {
	local status=$?

	trap - EXIT
	if [ -n "$daemon" ]; then
		kill "$daemon" 2>/dev/null || true
		wait "$daemon" 2>/dev/null || true
	fi
	[ $status = 0 ] || cat "$work/log" >&2 2>/dev/null || true
	rm -rf "$work"
	exit $status
}
trap finish EXIT
trap 'exit 130' INT TERM

bold= plain=
if [ -t 1 ]; then
	bold=$'\033[1m' plain=$'\033[0m'
fi
title() {
	printf '\n%s%s%s\n' "$bold" "$*" "$plain"
}

# Shows a command line as one would type it, and runs it; its output is shown
# and kept in the file $reply. A failure is the demo's, unless it is `expected`.
reply=$work/reply
expected=0
show() {
	local status=0

	printf '$ %s\n' "$1"
	bash -c "$1" >"$reply" 2>&1 || status=$?
	cat "$reply"
	[ -z "$(tail -c1 "$reply")" ] || echo
	if [ "$status" != "$expected" ]; then
		echo "demo: exit status $status, expected $expected" >&2
		exit 1
	fi
	expected=0
}

check() {
	python3 "$here/demo_check.py" "$1" "$data" "${@:2}"
}

data=$work/data
mkdir "$data"
export PATH=$build:$PATH

title "Real measurements: how much longer than 86,400 s each day was"
echo "Source: IERS, series EOP 20 C04, shipped by the PyPI package astropy-iers-data."
python3 "$here/demo_check.py" make "$data"

title "A daemon with one folder to read from and to write to"
printf '$ foldd --listen 127.0.0.1:0 --root data --write-root data &\n'
"$build/foldd" --listen 127.0.0.1:0 --port-file "$work/port" \
	--root "$data" --write-root "$data" >"$work/log" 2>&1 &
daemon=$!
for _ in $(seq 300); do
	[ ! -s "$work/port" ] || break
	kill -0 "$daemon" 2>/dev/null || exit 1
	sleep 0.1
done
[ -s "$work/port" ] || { echo "demo: foldd did not start" >&2; exit 1; }
url=http://$(head -n1 "$work/port")
export url FOLDD_URL=$url
cd "$data"
echo "url=$url"

title "Numbers in JSON, two operations"
show 'curl -s $url/v1/reduce -d "{\"op\": [\"sum\", \"max\"], \"data\": [1, 2, 3.5]}"'
check check_numbers "$reply"

title "A NumPy file as the body, the job in the query string"
show 'curl -s --data-binary @days.npy "$url/v1/reduce?op=mean,max,argmax,count"'
check check_days "$reply"

title "The same file by its path: the daemon reads it, several operations at once"
show 'curl -s $url/v1/reduce -d "{\"op\": [\"sum\", \"mean\", \"std\", \"min\", \"max\", \"argmax\", \"count\"], \"file\": \"days.npy\"}"'
check check_days "$reply"

title "A prefix sum, written to a file by the daemon"
show 'curl -s $url/v1/scan -d "{\"op\": \"sum\", \"file\": \"days.npy\", \"output\": {\"file\": \"prefix.npy\"}}"'
check check_prefix "$data/prefix.npy"

title "A sum that NumPy gets wrong: 1e16 + 1 - 1e16, a thousand times"
show 'curl -s --data-binary @hard.npy "$url/v1/reduce?op=sum&determinism=exact"'
check check_hard "$reply"

title "The exact sum of the same days in another order: the same bits"
show 'curl -s --data-binary @days.npy "$url/v1/reduce?op=sum&determinism=exact&bits=true"'
cp "$reply" "$work/first"
show 'curl -s --data-binary @shuffled.npy "$url/v1/reduce?op=sum&determinism=exact&bits=true"'
check check_exact_days "$work/first" "$reply"

title "Two halves, reduced apart and merged: the bits of the whole"
show 'curl -s --data-binary @late.npy "$url/v1/reduce?op=sum,std&determinism=exact&partial=true" | tee late.json'
show 'curl -s --data-binary @early.npy "$url/v1/reduce?op=sum,std&determinism=exact&partial=true" | tee early.json'
show 'foldctl merge early.json late.json --bits --json'
cp "$reply" "$work/merged"
show 'curl -s --data-binary @days.npy "$url/v1/reduce?op=sum,std&determinism=exact&bits=true"'
check check_merged "$work/merged" "$reply"

title "What cannot be answered is a problem with a code, not a wrong number"
show 'curl -s $url/v1/reduce -d "{\"op\": \"sum\", \"data\": [9223372036854775807, 1]}"'
check check_problem "$reply"

title "foldctl: the same for the command line"
show 'foldctl reduce mean,std,min,max -f days.npy'
check check_table "$reply"
show 'foldctl reduce sum --exact - <days.txt --json --bits'
check check_exact_days "$reply"
show 'foldctl scan sum 1 2 3'
expected=1
show 'foldctl reduce var 1 --ddof 1'

title "SIGTERM: the daemon finishes what it has and ends"
kill "$daemon"
status=0
wait "$daemon" || status=$?
daemon=
echo "exit status $status"
[ $status = 0 ]

title "All answers were checked and right."

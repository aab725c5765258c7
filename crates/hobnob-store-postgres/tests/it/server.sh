# A PostgreSQL server for one test, as the user who runs this: made, started, and gone with its
# folder once standard input ends, which it does even if the test is killed.
# $1: the folder of the programs, $2: an empty folder, $3: options of the server.
set -u
"$1/initdb" -D "$2/data" -U postgres -A trust -E UTF8 --locale=C --no-sync >"$2/initdb.log" 2>&1 \
    || { echo failed; cat "$2/initdb.log"; rm -rf "$2"; exit 1; }
if [ -e "$2/hba" ]; then cp "$2/hba" "$2/data/pg_hba.conf"; fi
end() {
    "$1/pg_ctl" -D "$2/data" -s -m immediate stop >/dev/null 2>&1
    rm -rf "$2"
}
"$1/pg_ctl" -D "$2/data" -s -w -t 120 -l "$2/log" -o "-k '$2' $3" start \
    || { echo failed; cat "$2/log"; end "$1" "$2"; exit 1; }
echo ready
while read -r command; do
    case $command in
        restart) "$1/pg_ctl" -D "$2/data" -s -w -t 120 -m fast -l "$2/log" restart && echo ready ;;
        stop) "$1/pg_ctl" -D "$2/data" -s -w -m immediate stop && echo ready ;;
        start) "$1/pg_ctl" -D "$2/data" -s -w -t 120 -l "$2/log" -o "-k '$2' $3" start && echo ready ;;
    esac
done
end "$1" "$2"

# A remote to share with, and a memory to change: the remote says which project it is.
git init --quiet --bare ~/origin.git
git remote add origin ~/origin.git
git push --quiet origin main
id=$(hobnob memory capture 'Orders are kept in PostgreSQL 17' -n decisions)
shown_as ID "${id##*/}"
hobnob token create ci > "$BIN/said"

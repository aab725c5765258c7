hobnob enable shell
hobnob grant shell --in . --sandbox any --as-root -- cargo build

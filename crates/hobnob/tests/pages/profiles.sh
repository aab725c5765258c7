mkdir -p ~/.config/hobnob/profiles
for profile in reader writer; do echo 'services = ["memory"]' > ~/.config/hobnob/profiles/$profile.toml; done

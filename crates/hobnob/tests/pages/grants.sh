mkdir ~/nginx
echo 'one line' > ~/nginx/access.log
shown_as /var/log/nginx ~/nginx
hobnob token create ci > "$BIN/said"
hobnob grant memory --for token:ci --role reader

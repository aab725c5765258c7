granted_log
shown_as /var/log/nginx ~/nginx

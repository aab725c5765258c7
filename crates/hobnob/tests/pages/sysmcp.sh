mkdir ~/nginx
echo 'Invalid user bob' > ~/nginx/access.log
shown_as /var/log/nginx ~/nginx

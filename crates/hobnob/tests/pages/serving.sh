server files-server read
hobnob add files --allow -- files-server
echo Roses > notes.txt

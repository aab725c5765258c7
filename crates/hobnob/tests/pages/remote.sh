printf '[listener]\nmode = "embedded"\npublic_url = "http://127.0.0.1:4815"\n' | settings

PASSWORD=roses-and-lavender

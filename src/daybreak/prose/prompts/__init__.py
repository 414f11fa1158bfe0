"""What a model is asked, one text file per task; `analyse.prompt_files` reads them."""

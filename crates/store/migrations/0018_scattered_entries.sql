-- compatible_from: 3

-- PostgreSQL keeps its keys, which begin with the owner. SQLite has words of its own for this step.

-- compatible_from: 25

-- PostgreSQL keeps its index, which begins with the owner. SQLite has words of its own for this step.

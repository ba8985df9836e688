-- compatible_from: 3

-- SQLite writes a changed row where it was. PostgreSQL has words of its own for this step.

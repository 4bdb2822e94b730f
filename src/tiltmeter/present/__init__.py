"""What readers see: findings become blocks, and blocks become a page, a PDF, Markdown, LaTeX or lines of a terminal."""

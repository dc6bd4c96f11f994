"""The routes of the web app, one file per subject. Each has a `router`; `web.app` puts them together."""

"""The web app: play every game against every agent, with hints, review and replay."""

# An agent at a spe_ed server, as the informatiCup 2021 asked for it: URL, KEY and TIME_URL come as environment
# variables, one start plays one game and ends.
#
#   docker build -t spielwerk-speed .
#   docker run --rm -e URL=ws://host:3100/spe_ed -e KEY=alpha -e TIME_URL=http://host:3100/spe_ed_time spielwerk-speed
#
# AGENT says who plays; give it to the build, too, so that everything is compiled before a clock runs.
FROM python:3.11-slim
WORKDIR /opt/spielwerk
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src ./src
RUN pip install --no-cache-dir -c constraints.txt '.[bridges]' && useradd --create-home player
USER player
ARG AGENT=territory
ENV AGENT=$AGENT SPIELWERK_CACHE=/home/player/compiled
RUN python -m spielwerk.bridges.spe_ed.rehearse "$AGENT"
ENTRYPOINT ["/bin/sh", "-c", "exec spielwerk join speed --agent \"$AGENT\" \"$@\"", "speed"]

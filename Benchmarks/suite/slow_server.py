"""An HTTP server on loopback that answers each request after a delay, as a server far away does.

usage: slow_server.py PORT MILLISECONDS DIRECTORY
"""

import asyncio
import sys
from pathlib import Path

BODIES = {}
DELAY = int(sys.argv[2]) / 1000


async def serve(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            name = head.split(b" ", 2)[1].decode().rsplit("/", 1)[-1]
            await asyncio.sleep(DELAY)
            body = BODIES.get(name)
            if body is None:
                writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            else:
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nCache-Control: max-age=3600\r\nContent-Length: %d\r\n\r\n"
                    % len(body))
                writer.write(body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main():
    for path in Path(sys.argv[3]).iterdir():
        BODIES[path.name] = path.read_bytes()
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]), backlog=512)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())

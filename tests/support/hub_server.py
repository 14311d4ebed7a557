#!/usr/bin/env python3
"""A model hub for tests: as much of the protocol as fetching and pushing need, on a free port of this machine, with faults
to order.

Usage: hub_server.py ROOT [DESCRIPTOR]
ROOT/models/org/name/... and ROOT/datasets/org/name/... are the repositories. Files that end in .safetensors, .bin, .pt or .parquet
are large files (their hash is SHA-256, and they are answered by a redirect to a second port, as a hub does); all others
have git's hash. ROOT/faults.json, read anew for each request, orders faults: {"PATH PATTERN": {...}}, see Faults.
Prints "PORT CDN_PORT" once it listens; ends when the other end of DESCRIPTOR, default 0, is closed; appends each request to ROOT/requests.jsonl.
"""
import base64
import fnmatch
import hashlib
import http.server
import json
import os
import pathlib
import sys
import threading
import time
import urllib.parse

LARGE = (".safetensors", ".bin", ".pt", ".parquet")
COMMIT = "0123456789abcdef0123456789abcdef01234567"
LOCK = threading.Lock()


def git_hash(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


class Faults:
    """Of one path: members are used up in the order below; "times" (1) says how often, -1 always.

    status, headers, body: answered instead     cut: close the connection after so many bytes of the body
    pause: seconds before each block of 64 KiB   no_range: ranges are ignored       wrong_range: the whole file as a part
    """

    used = {}

    @classmethod
    def of(cls, root, path):
        file = root / "faults.json"
        if not file.exists():
            return {}
        for pattern, fault in json.loads(file.read_text()).items():
            if not fnmatch.fnmatch(path, pattern):
                continue
            with LOCK:
                key = json.dumps([pattern, fault], sort_keys=True)
                if 0 <= fault.get("times", 1) <= cls.used.get(key, 0):
                    continue
                cls.used[key] = cls.used.get(key, 0) + 1
            return fault
        return {}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    # -- answers
    def send(self, status, body=b"", headers=None, head_only=False):
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        if not head_only:
            self.wfile.write(body)

    def not_found(self, code):
        self.send(404, {"error": code}, {"X-Error-Code": code, "X-Error-Message": code})

    def send_file(self, content, fault, headers, head_only=False):
        begin, status = 0, 200
        wanted = self.headers.get("Range")
        if wanted and not fault.get("no_range"):
            begin = int(wanted.removeprefix("bytes=").split("-")[0])
            status = 206
            if begin >= len(content):
                return self.send(416, b"", {"Content-Range": f"bytes */{len(content)}"})
            if fault.get("wrong_range"):
                begin = 0
        part = content[begin:]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status == 206:
            self.send_header("Content-Range", f"bytes {begin}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        if head_only:
            return None
        cut = fault.get("cut", len(part))
        for start in range(0, min(cut, len(part)), 65536):
            time.sleep(fault.get("pause", 0))
            self.wfile.write(part[start : min(start + 65536, cut)])
            self.wfile.flush()
        if cut < len(part):
            self.close_connection = True
        return None

    # -- requests
    def answer(self, method):
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        with LOCK, open(self.server.root / "requests.jsonl", "a", encoding="utf-8") as log:
            log.write(json.dumps({"method": method, "path": path, "port": self.server.server_address[1],
                                  "host": self.headers.get("Host"), "range": self.headers.get("Range"),
                                  "token": self.headers.get("Authorization"), "bytes": length}) + "\n")
        fault = Faults.of(self.server.root, path)
        if fault.get("drop"):
            self.close_connection = True
            return
        if "status" in fault:
            self.send(fault["status"], fault.get("body", "").encode(), fault.get("headers"))
            return
        self.fault = fault
        parts = path.strip("/").split("/")
        try:
            if method == "PUT":
                self.take_upload(path, body)
            elif parts[0] == "api":
                self.api(method, parts[1:], body)
            elif parts[-4:] == ["info", "lfs", "objects", "batch"]:
                self.lfs_batch(body)
            elif parts[0] == "lfs" and method == "POST":
                self.end_upload(parts, body)
            elif parts[0] == "cdn":
                content = (self.server.root / "/".join(parts[1:])).read_bytes()
                self.send_file(content, fault, {"ETag": '"an-etag-of-its-own"'}, method == "HEAD")
            else:
                self.resolve(method, parts)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def folder(self, kind, name):
        return self.server.root / kind / name

    def resolve(self, method, parts):
        kind = "models"
        if parts[0] == "datasets":
            kind, parts = "datasets", parts[1:]
        at = parts.index("resolve")
        name, revision, path = "/".join(parts[:at]), parts[at + 1], "/".join(parts[at + 2 :])
        file = self.folder(kind, name) / path
        if revision not in ("main", COMMIT):
            return self.not_found("RevisionNotFound")
        if not file.is_file():
            return self.not_found("EntryNotFound" if file.parent.exists() else "RepoNotFound")
        content = file.read_bytes()
        headers = {"X-Repo-Commit": COMMIT}
        if not path.endswith(LARGE):
            return self.send_file(content, self.fault, headers | {"ETag": f'"{git_hash(content)}"'}, method == "HEAD")
        sha = hashlib.sha256(content).hexdigest()
        place = f"http://localhost:{self.server.cdn_port}/cdn/{kind}/{name}/{urllib.parse.quote(path)}"
        return self.send(302, b"", headers | {"Location": place, "X-Linked-Etag": f'"{sha}"',
                                              "X-Linked-Size": str(len(content))}, method == "HEAD")

    def api(self, method, parts, body):
        if parts[:2] == ["repos", "create"]:
            return self.create(json.loads(body))
        kind, name, verb, rest = parts[0], "/".join(parts[1:3]), parts[3], "/".join(parts[4:])
        folder = self.folder(kind, name)
        if not folder.is_dir():
            return self.not_found("RepoNotFound")
        if verb in ("revision", "tree") and rest not in ("main", "v1", "refs/pr/1", COMMIT):
            return self.not_found("RevisionNotFound")
        if verb == "revision":
            return self.send(200, {"id": name, "sha": COMMIT, "siblings": [], "private": False}, {"X-Repo-Commit": COMMIT})
        if verb == "tree":
            return self.tree(folder)
        if verb == "preupload":
            files = [{"path": file["path"], "uploadMode": "lfs" if file["path"].endswith(LARGE) else "regular",
                      "shouldIgnore": file["path"].endswith(".ignored"), "oid": None}
                     for file in json.loads(body)["files"]]
            return self.send(200, {"files": files})
        if verb == "commit":
            return self.commit(folder, body)
        return self.send(404)

    def tree(self, folder):
        override = folder.parent / (folder.name + ".tree.json")  # a listing to order, for hostile ones
        if override.exists():
            return self.send(200, override.read_bytes())
        entries = []
        for file in sorted(folder.rglob("*")):
            path = file.relative_to(folder).as_posix()
            if file.is_dir():
                entries.append({"type": "directory", "oid": "0" * 40, "size": 0, "path": path})
                continue
            content = file.read_bytes()
            entry = {"type": "file", "oid": git_hash(content), "size": len(content), "path": path}
            if path.endswith(LARGE):
                entry["lfs"] = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 130}
            entries.append(entry)
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        page, size = int(query.get("page", ["0"])[0]), 3  # small pages, so that every listing has several
        headers = {}
        if (page + 1) * size < len(entries):
            host = self.headers.get("Host")
            base = urllib.parse.urlsplit(self.path).path
            headers["Link"] = f'<http://{host}{base}?recursive=true&page={page + 1}>; rel="next"'
        return self.send(200, entries[page * size : (page + 1) * size], headers)

    # -- uploads
    def create(self, body):
        folder = self.folder(body.get("type", "model") + "s", f"{body['organization']}/{body['name']}")
        if folder.exists():
            return self.send(409, {"error": "You already created this model repo"})
        folder.mkdir(parents=True)
        if body.get("visibility") == "private":
            (folder / ".private").write_text("private")
        return self.send(200, {"url": "http://hub/" + body["name"]})

    def lfs_batch(self, body):
        request, objects = json.loads(body), []
        base = f"http://{self.headers.get('Host')}/lfs"
        for item in request["objects"]:
            answer = {"oid": item["oid"], "size": item["size"]}
            chunk = self.server.chunk
            if not (self.server.root / "lfs" / item["oid"]).exists():
                header = {"x-from-batch": "yes"}
                url = f"http://localhost:{self.server.cdn_port}/lfs/{item['oid']}"
                if item["size"] > chunk:
                    count = -(-item["size"] // chunk)
                    header = {"chunk_size": str(chunk)} | {str(i + 1): f"{url}.{i + 1}" for i in range(count)}
                    url = f"{base}/complete/{item['oid']}"
                answer["actions"] = {"upload": {"href": url, "header": header},
                                     "verify": {"href": f"{base}/verify/{item['oid']}", "header": {}}}
            objects.append(answer)
        self.send(200, {"transfer": "basic", "objects": objects}, {"Content-Type": "application/vnd.git-lfs+json"})

    def take_upload(self, path, body):
        place = self.server.root / path.strip("/")
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(body)
        self.send(200, b"", {"ETag": f'"{hashlib.md5(body).hexdigest()}"'})

    def end_upload(self, parts, body):
        request, store = json.loads(body), self.server.root / "lfs"
        oid = request["oid"]
        if parts[1] == "complete":
            pieces = [store / f"{oid}.{part['partNumber']}" for part in request["parts"]]
            for piece, part in zip(pieces, request["parts"]):
                if part["etag"].strip('"') != hashlib.md5(piece.read_bytes()).hexdigest():
                    return self.send(400, {"error": "a part's etag is wrong"})
            (store / oid).write_bytes(b"".join(piece.read_bytes() for piece in pieces))
        content = (store / oid).read_bytes()
        if hashlib.sha256(content).hexdigest() != oid or len(content) != request.get("size", len(content)):
            (store / oid).unlink()
            return self.send(422, {"error": "the bytes are not those of the hash"})
        return self.send(200, {})

    def commit(self, folder, body):
        for line in body.decode().splitlines():
            item = json.loads(line)
            value = item["value"]
            if item["key"] == "header":
                (folder.parent / (folder.name + ".message")).write_text(value["summary"])
            elif item["key"] == "file":
                place = folder / value["path"]
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(base64.b64decode(value["content"]))
            elif item["key"] == "lfsFile":
                source = self.server.root / "lfs" / value["oid"]
                if not source.exists():
                    return self.send(400, {"error": f"large file {value['oid']} was not uploaded"})
                place = folder / value["path"]
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(source.read_bytes())
        return self.send(200, {"success": True, "commitOid": COMMIT, "commitUrl": "http://hub/commit/" + COMMIT})

    def do_GET(self):
        self.answer("GET")

    def do_HEAD(self):
        self.answer("HEAD")

    def do_POST(self):
        self.answer("POST")

    def do_PUT(self):
        self.answer("PUT")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):  # a client that goes away is what the tests are about
        pass


def main():
    root = pathlib.Path(sys.argv[1])
    servers = [Server(("127.0.0.1", 0), Handler) for _ in range(2)]
    for server in servers:
        server.root = root
        server.chunk = 100_000
        server.cdn_port = servers[1].server_address[1]
    threading.Thread(target=servers[1].serve_forever, daemon=True).start()
    print(*(server.server_address[1] for server in servers), flush=True)
    watched = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    threading.Thread(target=end_with_parent, args=[watched], daemon=True).start()
    servers[0].serve_forever()


def end_with_parent(descriptor):
    while os.read(descriptor, 4096):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()

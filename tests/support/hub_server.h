// tests/support/hub_server.py in a process of its own, with the folder it serves.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {

/// Listens on 127.0.0.1; large files come from "localhost" and a second port, which is another host to a client.
class HubServer {
 public:
  HubServer() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    SpawnOptions options;
    options.arguments = {(source_directory() / "tests/support/hub_server.py").string(), root().string(), "3"};
    options.inherited_descriptor = ends[0];
    options.output = folder_.path() / "ports";
    server_ = std::make_unique<Subprocess>(python(), options);
    ::close(ends[0]);
    life_ = ends[1];
    for (int i = 0; i < 500 && port_.empty(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const std::string said = read_file_or_empty(options.output);
      if (said.ends_with('\n')) port_ = said.substr(0, said.find(' '));
    }
    if (port_.empty()) throw std::runtime_error("the hub server said: " + read_file_or_empty(options.output));
  }
  ~HubServer() { ::close(life_); }
  HubServer(const HubServer&) = delete;
  HubServer& operator=(const HubServer&) = delete;

  std::filesystem::path root() const { return folder_.path(); }
  std::string endpoint() const { return "http://127.0.0.1:" + port_; }

  /// `path` is "models/org/name/FILE" or "datasets/...".
  void add(const std::string& path, std::string_view content) const {
    std::filesystem::create_directories((root() / path).parent_path());
    std::ofstream(root() / path, std::ios::binary) << content;
  }
  /// {"path pattern": {...}}, as the server's Faults says.
  void order(const Json& faults) const { add("faults.json", faults.dump()); }

  /// All requests so far, or those whose path holds `part`.
  std::vector<Json> requests(std::string_view part = "") const {
    std::vector<Json> found;
    for (const std::string& line : split(read_file_or_empty(root() / "requests.jsonl"), '\n')) {
      if (line.empty()) continue;
      const Json request = Json::parse(line);
      if (request.at("path").get<std::string>().find(part) != std::string::npos) found.push_back(request);
    }
    return found;
  }

 private:
  // Debian's own starts fastest; any other serves.
  static std::filesystem::path python() {
    const std::filesystem::path debian = "/usr/bin/python3";
    return std::filesystem::exists(debian) ? debian : find_program("python3").value();
  }

  TemporaryFolder folder_;
  std::string port_;
  int life_ = -1;  // the server ends when this end is closed, however the test does
  std::unique_ptr<Subprocess> server_;
};

/// The commit that the server says every revision is.
inline const std::string kServedCommit = "0123456789abcdef0123456789abcdef01234567";

}  // namespace transformeter

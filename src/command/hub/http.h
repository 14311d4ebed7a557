// What is asked of a web server and what it answers: plain values, without the library that carries them.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"

namespace transformeter {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

/// A part of a file, sent as the body of a request.
struct HttpUpload {
  std::filesystem::path file;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

struct HttpRequest {
  std::string method = "GET";  // GET, POST or PUT
  std::string url;
  HttpHeaders headers;
  std::string token;                 // sent to the origin of `url` alone, never where a redirect leads elsewhere
  std::string body;                  // of a POST
  std::optional<HttpUpload> upload;  // of a PUT
  bool is_repeatable = true;         // false: doing it twice is not the same as doing it once
};

struct HttpResponse {
  int status = 0;  // 0: no answer came
  std::string url;
  std::map<std::string, std::string> headers;  // names in small letters
  std::string body;                            // what no sink took; of an error its first 64 KiB
  std::string redirect;                        // where a redirect leads, absolute
  std::string fault;                           // why there is no whole answer; empty: there is
  bool may_pass = false;                       // the fault could be gone with the next try

  bool is_success() const { return fault.empty() && status >= 200 && status < 300; }
  /// Empty when there is none. `name` is in small letters.
  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
  }
};

/// Takes the next bytes of a successful answer, whose status and headers are known by then.
using BodySink = std::function<void(const HttpResponse& head, std::string_view bytes)>;

/// Called now and then with the bytes of an upload sent so far.
using SentBytes = std::function<void(std::uint64_t)>;

struct HttpSettings {
  Seconds connect_limit{10};
  Seconds stall_timeout{60};  // nothing at all came or went for so long
  int attempts = 5;
  Seconds first_pause{1};                        // doubled after each further failure
  Seconds longest_pause{60};                     // a server that asks for more is not waited for
  const std::atomic<bool>* interrupt = nullptr;  // set when the user asks to stop; null: never
};

}  // namespace transformeter

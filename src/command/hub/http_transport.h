// One request and its answer over libcurl. No other file knows curl.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "hub/http.h"

namespace transformeter {

/// "https://host:443" of a URL, by which tokens are kept where they belong. Throws Error(kBadInput) for text that is
/// not a http or https URL.
std::string origin_of(const std::string& url);

/// Keeps its connections open between requests. Not thread-safe.
class HttpTransport {
 public:
  explicit HttpTransport(const HttpSettings& settings);
  ~HttpTransport();
  HttpTransport(const HttpTransport&) = delete;
  HttpTransport& operator=(const HttpTransport&) = delete;

  /// Redirects are not followed. The body of a success goes to `sink` where there is one, else into the answer, up to
  /// 64 MiB. Throws Error(kInterrupted), Error(kBadInput) for a larger body and an unreadable upload, and what `sink`
  /// throws; all that goes wrong on the way is the answer's `fault`.
  HttpResponse exchange(const HttpRequest& request, const BodySink& sink, const SentBytes& sent);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace transformeter

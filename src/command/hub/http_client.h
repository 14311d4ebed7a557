// Requests as the hub needs them: redirects followed, tokens kept at home, transient failures tried again.
#pragma once

#include "hub/http.h"
#include "hub/http_transport.h"

namespace transformeter {

/// No whole answer, or one by which a server says that it is busy or unwell (408, 429, 500, 502, 503, 504).
bool is_transient(const HttpResponse& response);

/// Waits between tries, longer each time, and as long as a server's Retry-After says.
class Backoff {
 public:
  explicit Backoff(const HttpSettings& settings) : settings_(settings), pause_(settings.first_pause) {}

  /// False without waiting when all tries are used up, or the server asks for more than the longest pause. Throws
  /// Error(kInterrupted).
  bool wait(const HttpResponse& failed);
  /// Something came: the count starts again.
  void reset();

 private:
  const HttpSettings& settings_;
  Seconds pause_;
  int failures_ = 0;
};

class HttpClient {
 public:
  explicit HttpClient(const HttpSettings& settings) : settings_(settings), transport_(settings) {}

  /// Tried again while the failure is transient; the last answer, whatever its status, is returned. What is not
  /// repeatable is tried again only where the server says that it did nothing (429, 503). Throws like once().
  HttpResponse send(const HttpRequest& request, const SentBytes& sent = {});

  /// One try. Follows at most 10 redirects: any of a GET, those of others only by 307 and 308, never from https to
  /// http; throws Error(kEnvironment) beyond that, and what HttpTransport::exchange throws.
  HttpResponse once(const HttpRequest& request, const BodySink& sink = {}, const SentBytes& sent = {});

  const HttpSettings& settings() const { return settings_; }

 private:
  HttpSettings settings_;
  HttpTransport transport_;
};

}  // namespace transformeter

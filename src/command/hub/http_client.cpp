// Redirects, and when to try again.
#include "hub/http_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <thread>

#include "base/error.h"
#include "base/text.h"

namespace transformeter {
namespace {

constexpr int kMaxRedirects = 10;

// Seconds; a date, which no hub sends, counts as none.
Seconds asked_pause(const HttpResponse& response) {
  const auto seconds = parse_integer(response.header("retry-after"));
  return Seconds(seconds && *seconds > 0 ? static_cast<double>(*seconds) : 0.0);
}

void sleep_unless_interrupted(Seconds pause, const std::atomic<bool>* interrupt) {
  const auto end = std::chrono::steady_clock::now() + pause;
  while (std::chrono::steady_clock::now() < end) {
    if (interrupt != nullptr && interrupt->load()) throw Error(ErrorKind::kInterrupted, "stopped by the user");
    const Seconds left = end - std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::min(left, Seconds(0.1)));
  }
}

void drop_credentials(HttpRequest& request) {
  request.token.clear();
  std::erase_if(request.headers, [](const auto& header) {
    std::string name = header.first;
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    return name == "authorization" || name == "cookie";
  });
}

}  // namespace

bool is_transient(const HttpResponse& response) {
  if (!response.fault.empty()) return response.may_pass;
  switch (response.status) {
    case 408:
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
      return true;
    default:
      return false;
  }
}

bool Backoff::wait(const HttpResponse& failed) {
  const Seconds pause = std::max(pause_, asked_pause(failed));
  if (++failures_ >= settings_.attempts || pause > settings_.longest_pause) return false;
  sleep_unless_interrupted(pause, settings_.interrupt);
  pause_ = std::min(pause_ * 2, settings_.longest_pause);
  return true;
}

void Backoff::reset() {
  failures_ = 0;
  pause_ = settings_.first_pause;
}

HttpResponse HttpClient::send(const HttpRequest& request, const SentBytes& sent) {
  Backoff backoff(settings_);
  while (true) {
    HttpResponse response = once(request, {}, sent);
    const bool did_nothing = response.status == 429 || response.status == 503;
    const bool again = is_transient(response) && (request.is_repeatable || did_nothing);
    if (!again || !backoff.wait(response)) return response;
  }
}

HttpResponse HttpClient::once(const HttpRequest& request, const BodySink& sink, const SentBytes& sent) {
  HttpRequest next = request;
  const std::string home = origin_of(request.url);
  for (int i = 0; i <= kMaxRedirects; ++i) {
    HttpResponse response = transport_.exchange(next, sink, sent);
    const bool keeps_method = response.status == 307 || response.status == 308;
    const bool is_redirect = !response.redirect.empty() && (request.method == "GET" || keeps_method);
    if (!response.fault.empty() || !is_redirect) return response;
    const std::string origin = origin_of(response.redirect);
    if (home.starts_with("https:") && !origin.starts_with("https:")) {
      throw Error(ErrorKind::kEnvironment, fmt::format("{} redirects from https to {}, which is not allowed",
                                                       excerpt(request.url, 200), excerpt(response.redirect, 200)));
    }
    next.url = response.redirect;
    if (origin != home) drop_credentials(next);  // for good, also when a later redirect leads home
  }
  throw Error(ErrorKind::kEnvironment,
              fmt::format("{} causes more than {} redirects", excerpt(request.url, 200), kMaxRedirects));
}

}  // namespace transformeter

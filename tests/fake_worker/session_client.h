// The asking side of a session, for tests.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "schema/messages.h"

namespace transformeter {

class SessionClient {
 public:
  explicit SessionClient(Channel channel) : channel_(std::move(channel)) {}

  void send(const Message& message) { channel_.send(message.header, message.blob); }

  Channel::Outcome receive(Message& message, int timeout_ms = 60'000) {
    return channel_.receive(message, std::chrono::milliseconds(timeout_ms));
  }

  /// Throws Error(kProtocol) unless a message of that type comes.
  Message expect(const std::string& type) {
    Message message;
    if (receive(message) != Channel::Outcome::kMessage) throw Error(ErrorKind::kProtocol, "no message came");
    if (message.type() != type) throw Error(ErrorKind::kProtocol, "not " + type + " but " + message.header.dump());
    return message;
  }

  Message ask(const Message& request, const std::string& answer) {
    send(request);
    return expect(answer);
  }

  Prepared prepare(const Json& settings, std::int64_t spawned_at_ns = 0) {
    PrepareRequest request;
    request.settings = settings;
    request.spawned_at_ns = spawned_at_ns;
    return from_message<Prepared>(ask(to_message(request), verb::kPrepared));
  }

  Warmed warm(std::optional<std::int64_t> count = std::nullopt) {
    return from_message<Warmed>(ask(to_message(WarmRequest{count}), verb::kWarmed));
  }

  /// Passes over the progress that an evaluation of more than a second tells.
  Evaluated evaluate(const EvaluateRequest& request = {}) {
    send(to_message(request));
    Message message;
    while (receive(message) == Channel::Outcome::kMessage && message.type() == verb::kEvaluating) continue;
    return from_message<Evaluated>(message);
  }

  struct Measurement {
    Series latency;
    std::vector<Series> all;  // latency, and the other series of requests
    int blocks = 0;
    Measured measured;
  };
  Measurement measure(const MeasureRequest& request) {
    send(to_message(request));
    Measurement result;
    Message message;
    while (receive(message) == Channel::Outcome::kMessage && message.type() == verb::kSamples) {
      ++result.blocks;
      for (const Series& block : from_message<std::vector<Series>>(message)) {
        const auto same =
            std::find_if(result.all.begin(), result.all.end(), [&](const Series& s) { return s.name == block.name; });
        if (same == result.all.end()) {
          result.all.push_back(block);
        } else {
          same->append(block);
        }
        if (block.name == "latency") result.latency.append(block);
      }
    }
    result.measured = from_message<Measured>(message);
    return result;
  }

 private:
  Channel channel_;
};

}  // namespace transformeter

// Framed messages over a stream descriptor: a fixed head ("TMTR", protocol version, two lengths), a JSON header and
// raw bytes. Both programs use it; neither trusts the other.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace transformeter {

/// Raised with every change that an older program would misread.
inline constexpr int kProtocolVersion = 2;

struct Message {
  Json header;  // an object with "type"
  std::string blob;

  std::string type() const { return header.at("type").get<std::string>(); }
};

/// Owns a connected socket or pipe. Not thread-safe.
class Channel {
 public:
  explicit Channel(int descriptor) : descriptor_(descriptor) {}
  ~Channel();
  Channel(Channel&& other) noexcept;
  Channel& operator=(Channel&&) = delete;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Throws Error(kProtocol) when the other side is gone.
  void send(const Json& header, std::string_view blob = {});

  enum class Outcome { kMessage, kTimeout, kClosed };
  /// Waits at most `timeout` for a whole message; asleep meanwhile. What came of one by then is kept for the next call.
  /// Throws Error(kProtocol) on garbage, another protocol version, or a message that breaks off.
  Outcome receive(Message& message, std::chrono::milliseconds timeout);

  int descriptor() const { return descriptor_; }

 private:
  std::optional<std::size_t> frame_bytes() const;
  void take_frame(std::size_t bytes, Message& message);

  int descriptor_;
  std::string arrived_;  // and not yet handed out
};

/// A connected pair: [0] stays here, [1] is for the child. Throws Error(kEnvironment).
struct ChannelPair {
  Channel here;
  int there;  // close-on-exec is set; the caller closes it after the child has started
};
ChannelPair make_channel_pair();

/// Connects to "fd:N", "unix:PATH" or "tcp:HOST:PORT". Throws Error(kBadInput) for a malformed address and
/// Error(kEnvironment) when nothing listens.
Channel connect_channel(std::string_view address);

}  // namespace transformeter

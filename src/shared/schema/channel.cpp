// Frames over POSIX sockets.
#include "schema/channel.h"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace transformeter {
namespace {

struct Head {
  std::array<char, 4> magic{'T', 'M', 'T', 'R'};
  std::uint32_t version = kProtocolVersion;
  std::uint64_t header_bytes = 0;
  std::uint64_t blob_bytes = 0;
};
static_assert(sizeof(Head) == 24);

constexpr std::uint64_t kLargestHeader = 64ULL << 20;
constexpr std::uint64_t kLargestBlob = 1ULL << 30;
constexpr std::size_t kReadBytes = 1 << 16;

Error gone() {
  return Error(ErrorKind::kProtocol, "the other program closed the connection");
}

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw gone();
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void check_head(const Head& head) {
  if (head.magic != Head{}.magic) {
    throw Error(ErrorKind::kProtocol, "the other program does not speak this protocol (not a message)");
  }
  if (head.version != kProtocolVersion) {
    throw Error(
        ErrorKind::kProtocol,
        fmt::format("the other program speaks protocol version {}, this one {}; use programs from the same build",
                    head.version, kProtocolVersion));
  }
  if (head.header_bytes > kLargestHeader || head.blob_bytes > kLargestBlob) {
    throw Error(ErrorKind::kProtocol,
                fmt::format("a message claims {} + {} bytes, more than the limit", head.header_bytes, head.blob_bytes));
  }
}

Channel connect_unix(std::string_view path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    throw bad_value("address", path, "a socket path of 1 to 107 bytes");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  Channel channel(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(channel.descriptor(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw Error(ErrorKind::kEnvironment, fmt::format("cannot connect to unix:{}: {}", path, std::strerror(errno)));
  }
  return channel;
}

Channel connect_tcp(std::string_view target) {
  const std::size_t colon = target.rfind(':');
  if (colon == std::string_view::npos) throw bad_value("address", target, "tcp:HOST:PORT");
  const std::string host(target.substr(0, colon));
  const std::string port(target.substr(colon + 1));
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int code = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found); code != 0) {
    throw Error(ErrorKind::kEnvironment, fmt::format("cannot resolve tcp:{}: {}", target, ::gai_strerror(code)));
  }
  Channel channel(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int result = ::connect(channel.descriptor(), found->ai_addr, found->ai_addrlen);
  ::freeaddrinfo(found);
  if (result != 0) {
    throw Error(ErrorKind::kEnvironment, fmt::format("cannot connect to tcp:{}: {}", target, std::strerror(errno)));
  }
  return channel;
}

}  // namespace

Channel::~Channel() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Channel::Channel(Channel&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), arrived_(std::move(other.arrived_)) {}

void Channel::send(const Json& header, std::string_view blob) {
  const std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  Head head;
  head.header_bytes = text.size();
  head.blob_bytes = blob.size();
  std::string frame(reinterpret_cast<const char*>(&head), sizeof head);
  frame += text;
  write_all(descriptor_, frame);
  write_all(descriptor_, blob);
}

// The bytes of a whole frame at the front of what arrived; nothing while some are missing.
std::optional<std::size_t> Channel::frame_bytes() const {
  Head head;
  if (arrived_.size() < sizeof head) return std::nullopt;
  std::memcpy(&head, arrived_.data(), sizeof head);
  check_head(head);
  const std::size_t whole = sizeof head + head.header_bytes + head.blob_bytes;
  return arrived_.size() < whole ? std::nullopt : std::optional(whole);
}

void Channel::take_frame(std::size_t bytes, Message& message) {
  Head head;
  std::memcpy(&head, arrived_.data(), sizeof head);
  const std::string_view text(arrived_.data() + sizeof head, head.header_bytes);
  message.header = json_or_discarded(text);
  message.blob.assign(arrived_, sizeof head + head.header_bytes, head.blob_bytes);
  arrived_.erase(0, bytes);
  if (!message.header.is_object() || !message.header.contains("type") || !message.header["type"].is_string()) {
    throw Error(ErrorKind::kProtocol, "a message has no JSON header with a type");
  }
}

// Memory grows with what arrives, never with what a head claims.
Channel::Outcome Channel::receive(Message& message, std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  std::array<char, kReadBytes> bytes{};
  while (true) {
    if (const auto whole = frame_bytes()) {
      take_frame(*whole, message);
      return Outcome::kMessage;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd entry{descriptor_, POLLIN, 0};
    const int wait_ms = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, std::numeric_limits<int>::max()));
    if (::poll(&entry, 1, wait_ms) <= 0) return Outcome::kTimeout;  // or a signal
    const ssize_t count = ::read(descriptor_, bytes.data(), bytes.size());
    if (count > 0) {
      arrived_.append(bytes.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || errno == ECONNRESET) {
      if (arrived_.empty()) return Outcome::kClosed;
      throw Error(ErrorKind::kProtocol, "a message was cut short");
    } else if (errno != EINTR) {
      throw gone();
    }
  }
}

ChannelPair make_channel_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw Error(ErrorKind::kEnvironment, fmt::format("cannot create a socket pair: {}", std::strerror(errno)));
  }
  return {Channel(ends[0]), ends[1]};
}

Channel connect_channel(std::string_view address) {
  if (address.starts_with("fd:")) {
    const auto number = parse_integer(address.substr(3));
    if (number && *number >= 0 && *number < 65536) return Channel(static_cast<int>(*number));
  }
  if (address.starts_with("unix:")) return connect_unix(address.substr(5));
  if (address.starts_with("tcp:")) return connect_tcp(address.substr(4));
  throw bad_value("address", address, "fd:N, unix:PATH or tcp:HOST:PORT");
}

}  // namespace transformeter

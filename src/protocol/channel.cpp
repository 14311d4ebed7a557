// Frames over POSIX sockets.
#include "protocol/channel.h"

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
constexpr std::uint64_t kLargestBlob = 4ULL << 30;
constexpr int kMidMessagePatienceMs = 30'000;  // a message that began must go on within this time

Error gone() {
  return Error(ErrorKind::kProtocol, "the other side of the session closed the connection");
}

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw gone();
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

// True when readable (or closed), false on a time-out; a signal ends the wait early, with errno EINTR.
bool wait_readable(int descriptor, int timeout_ms) {
  pollfd entry{descriptor, POLLIN, 0};
  errno = 0;
  return ::poll(&entry, 1, timeout_ms) > 0;
}

// False when the stream ends before the first byte.
bool read_exactly(int descriptor, char* bytes, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    if (!wait_readable(descriptor, kMidMessagePatienceMs) && errno != EINTR) {
      throw Error(ErrorKind::kProtocol, "a message stalled half-way");
    }
    const ssize_t count = ::read(descriptor, bytes + done, size - done);
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (count == 0 || (count < 0 && errno == ECONNRESET)) {
      if (done == 0) return false;
      throw Error(ErrorKind::kProtocol, "a message broke off");
    } else if (errno != EINTR) {
      throw gone();
    }
  }
  return true;
}

// The promised size may be a lie: memory grows with what really comes.
std::string read_string(int descriptor, std::uint64_t size) {
  constexpr std::uint64_t kPiece = 1 << 20;
  std::string bytes;
  while (bytes.size() < size) {
    const std::size_t begin = bytes.size();
    bytes.resize(begin + static_cast<std::size_t>(std::min(kPiece, size - begin)));
    if (!read_exactly(descriptor, bytes.data() + begin, bytes.size() - begin)) {
      throw Error(ErrorKind::kProtocol, "a message broke off");
    }
  }
  return bytes;
}

void check_head(const Head& head) {
  if (head.magic != Head{}.magic) {
    throw Error(ErrorKind::kProtocol, "the other program does not speak this protocol (its bytes are no message)");
  }
  if (head.version != kProtocolVersion) {
    throw Error(ErrorKind::kProtocol, fmt::format("the other program speaks protocol version {}, this one speaks {}; "
                                                  "use programs of the same build",
                                                  head.version, kProtocolVersion));
  }
  if (head.header_bytes > kLargestHeader || head.blob_bytes > kLargestBlob) {
    throw Error(ErrorKind::kProtocol,
                fmt::format("a message claims {} + {} bytes, more than any has", head.header_bytes, head.blob_bytes));
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

Channel::Channel(Channel&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

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

Channel::Outcome Channel::receive(Message& message, std::chrono::milliseconds timeout) {
  if (!wait_readable(descriptor_, static_cast<int>(timeout.count()))) return Outcome::kTimeout;
  Head head;
  if (!read_exactly(descriptor_, reinterpret_cast<char*>(&head), sizeof head)) return Outcome::kClosed;
  check_head(head);
  const std::string text = read_string(descriptor_, head.header_bytes);
  message.blob = read_string(descriptor_, head.blob_bytes);
  message.header = json_depth(text) > kMaxJsonDepth ? Json() : Json::parse(text, nullptr, false);
  if (!message.header.is_object() || !message.header.contains("type") || !message.header["type"].is_string()) {
    throw Error(ErrorKind::kProtocol, "a message has no JSON header with a type");
  }
  return Outcome::kMessage;
}

ChannelPair make_channel_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw Error(ErrorKind::kEnvironment, fmt::format("cannot make a socket pair: {}", std::strerror(errno)));
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

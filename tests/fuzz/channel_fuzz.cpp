// Frames of the session protocol, as the other side may send them: the input is a stream, then its end.
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz_support.h"
#include "schema/channel.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kSocketHolds = 128 << 10;  // so that one thread can do both sides
  if (size > kSocketHolds) return 0;
  ChannelPair pair = make_channel_pair();
  const bool sent = size == 0 || ::send(pair.there, data, size, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
  ::close(pair.there);
  require(sent, "the socket does not hold the input");
  expect_read_or_error([&] {
    Message message;
    Channel::Outcome outcome = Channel::Outcome::kMessage;
    while (outcome == Channel::Outcome::kMessage) {
      outcome = pair.here.receive(message, std::chrono::milliseconds(1000));
      if (outcome == Channel::Outcome::kMessage) canonical_json(message.header);
    }
    require(outcome == Channel::Outcome::kClosed, "a stream that ended is waited for");
  });
  return 0;
}

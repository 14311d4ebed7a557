// Frames that arrive whole, and everything else that may arrive instead.
#include "schema/channel.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "base/error.h"
#include "base/random.h"

namespace transformeter {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

// A frame by its parts, as channel.cpp lays it out.
std::string frame(std::uint32_t version, std::uint64_t header_bytes, std::uint64_t blob_bytes, std::string_view rest) {
  std::string bytes = "TMTR";
  bytes.append(reinterpret_cast<const char*>(&version), sizeof version);
  bytes.append(reinterpret_cast<const char*>(&header_bytes), sizeof header_bytes);
  bytes.append(reinterpret_cast<const char*>(&blob_bytes), sizeof blob_bytes);
  return bytes.append(rest);
}

// What a receiver says to `bytes` followed by the end of the stream; "message" or "closed" when it does not throw.
std::string reaction_to(std::string_view bytes) {
  ChannelPair pair = make_channel_pair();
  [[maybe_unused]] const ssize_t count = ::send(pair.there, bytes.data(), bytes.size(), 0);
  ::close(pair.there);
  Message message;
  try {
    switch (pair.here.receive(message, milliseconds(1000))) {
      case Channel::Outcome::kMessage:
        return "message";
      case Channel::Outcome::kClosed:
        return "closed";
      case Channel::Outcome::kTimeout:
        return "timeout";
    }
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kProtocol);
    return error.what();
  }
  return "";
}

TEST(Channel, KeepsTheBeginningOfAMessageThatComesInPieces) {
  ChannelPair pair = make_channel_pair();
  const std::string header = R"({"type":"slow"})";
  const std::string whole = frame(kProtocolVersion, header.size(), 2, header + "ab");
  Message message;
  for (std::size_t i = 0; i + 1 < whole.size(); ++i) {
    ASSERT_EQ(::send(pair.there, &whole[i], 1, 0), 1);
    EXPECT_EQ(pair.here.receive(message, milliseconds(0)), Channel::Outcome::kTimeout);
  }
  ASSERT_EQ(::send(pair.there, &whole.back(), 1, 0), 1);
  ASSERT_EQ(pair.here.receive(message, milliseconds(1000)), Channel::Outcome::kMessage);
  EXPECT_EQ(message.type(), "slow");
  EXPECT_EQ(message.blob, "ab");
  ::close(pair.there);
  EXPECT_EQ(pair.here.receive(message, milliseconds(1000)), Channel::Outcome::kClosed);
}

TEST(Channel, CarriesHeaderAndBytes) {
  ChannelPair pair = make_channel_pair();
  Channel there(pair.there);
  const std::string blob("\0\x01\xFFx", 4);
  there.send({{"type", "samples"}, {"text", "größer \"than\""}}, blob);
  there.send({{"type", "second"}});
  Message message;
  ASSERT_EQ(pair.here.receive(message, milliseconds(1000)), Channel::Outcome::kMessage);
  EXPECT_EQ(message.type(), "samples");
  EXPECT_EQ(message.header["text"], "größer \"than\"");
  EXPECT_EQ(message.blob, blob);
  ASSERT_EQ(pair.here.receive(message, milliseconds(1000)), Channel::Outcome::kMessage);
  EXPECT_EQ(message.type(), "second");
  EXPECT_EQ(message.blob, "") << "nothing of the message before";
}

TEST(Channel, CarriesMoreThanTheSocketHolds) {
  ChannelPair pair = make_channel_pair();
  std::string blob(8 << 20, '\0');
  RandomStream random(3);
  for (char& byte : blob) byte = static_cast<char>(random.next());
  std::thread sender([&] { Channel(pair.there).send({{"type", "samples"}}, blob); });
  Message message;
  EXPECT_EQ(pair.here.receive(message, milliseconds(10'000)), Channel::Outcome::kMessage);
  sender.join();
  EXPECT_TRUE(message.blob == blob);
}

TEST(Channel, TellsSilenceFromTheEnd) {
  ChannelPair pair = make_channel_pair();
  Message message;
  EXPECT_EQ(pair.here.receive(message, milliseconds(1)), Channel::Outcome::kTimeout);
  ::close(pair.there);
  EXPECT_EQ(pair.here.receive(message, milliseconds(1000)), Channel::Outcome::kClosed);
  EXPECT_THROW(
      {
        for (int i = 0; i < 2; ++i) pair.here.send({{"type", "describe"}});
      },
      Error);
}

TEST(Channel, RefusesWhatIsNoMessage) {
  const std::string header = R"({"type":"x"})";
  const auto size = header.size();
  EXPECT_EQ(reaction_to(frame(kProtocolVersion, size, 0, header)), "message") << "the frames of this test are right";
  EXPECT_EQ(reaction_to(""), "closed");
  EXPECT_THAT(reaction_to("Killed\n"), HasSubstr("was cut short"));
  EXPECT_THAT(reaction_to(std::string(100, 'x')), HasSubstr("does not speak this protocol"));
  EXPECT_THAT(reaction_to(frame(7, size, 0, header)),
              HasSubstr(fmt::format("speaks protocol version 7, this one {}", kProtocolVersion)));
  EXPECT_THAT(reaction_to(frame(kProtocolVersion, size, 0, "{\"ty")), HasSubstr("was cut short"));
  EXPECT_THAT(reaction_to(frame(kProtocolVersion, size, 9, header)), HasSubstr("was cut short"));
  EXPECT_THAT(reaction_to(frame(kProtocolVersion, 1ULL << 60, 0, header)), HasSubstr("more than the limit"));
  EXPECT_THAT(reaction_to(frame(kProtocolVersion, size, 1ULL << 60, header)), HasSubstr("more than the limit"));
  for (const std::string_view bad : {"{", "[1]", "{}", R"({"type":5})", "null", "\xFF"}) {
    EXPECT_THAT(reaction_to(frame(kProtocolVersion, bad.size(), 0, bad)), HasSubstr("no JSON header with a type"));
  }
}

TEST(Channel, BelievesNoPromisedSize) {
  const std::string header = R"({"type":"x"})";
  const auto peak_kib = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  const long before = peak_kib();
  EXPECT_THAT(reaction_to(frame(kProtocolVersion, header.size(), 1ULL << 30, header)), HasSubstr("was cut short"));
  EXPECT_THAT(reaction_to(frame(kProtocolVersion, 64ULL << 20, 0, header)), HasSubstr("was cut short"));
  EXPECT_LT(peak_kib() - before, 32 << 10) << "4 GiB and 64 MiB were promised, 12 bytes came";
}

TEST(Channel, RefusesAHeaderThatNestsTooDeep) {
  const std::string header = R"({"type":"x","deep":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_THAT(reaction_to(frame(kProtocolVersion, header.size(), 0, header)), HasSubstr("no JSON header"));
}

TEST(ConnectChannel, ReachesAUnixSocket) {
  std::string folder = "/tmp/transformeter_channel_XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder + "/s";
  std::memcpy(address.sun_path, path.c_str(), path.size());
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  Channel near = connect_channel("unix:" + path);
  Channel far(::accept(listener, nullptr, nullptr));
  near.send({{"type", "hello"}});
  Message message;
  EXPECT_EQ(far.receive(message, milliseconds(1000)), Channel::Outcome::kMessage);
  ::close(listener);
  ::unlink(path.c_str());
  ::rmdir(folder.c_str());
}

TEST(ConnectChannel, NamesABadAddress) {
  for (const char* address : {"", "fd:", "fd:-1", "fd:x", "http://x", "tcp:localhost", "unix:"}) {
    try {
      connect_channel(address);
      ADD_FAILURE() << address;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput) << address;
    }
  }
  EXPECT_THROW(connect_channel("unix:/no/such/socket"), Error);
}

}  // namespace
}  // namespace transformeter

// Each fault is one function. They write past Channel, which would not send what is wrong.
#include "fake_worker/fault.h"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "schema/messages.h"

namespace transformeter {
namespace {

void send_bytes(const Channel& channel, const std::string& bytes) {
  [[maybe_unused]] const ssize_t count = ::send(channel.descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

// A frame as channel.cpp writes it: "TMTR", version, length of the header, length of the blob.
std::string frame(std::uint32_t version, std::string_view header) {
  const std::uint64_t lengths[2] = {header.size(), 0};
  std::string bytes = "TMTR";
  bytes.append(reinterpret_cast<const char*>(&version), sizeof version);
  bytes.append(reinterpret_cast<const char*>(lengths), sizeof lengths);
  return bytes.append(header);
}

[[noreturn]] void hang() {
  while (true) ::pause();
}

[[noreturn]] void crash(int signal) {
  ::signal(signal, SIG_DFL);
  ::raise(signal);
  std::abort();  // for signals that do not end a process
}

// The first to be ended when memory runs short, whoever started it.
void volunteer_for_the_oom_killer() {
  std::ofstream("/proc/self/oom_score_adj") << 1000;
}

FaultOutcome eat_memory(std::int64_t bytes, Channel& channel) {
  volunteer_for_the_oom_killer();
  constexpr std::int64_t kPiece = 16 << 20;
  std::vector<char*> pieces;
  for (std::int64_t eaten = 0; eaten < bytes; eaten += kPiece) {
    pieces.push_back(new (std::nothrow) char[kPiece]);
    if (pieces.back() == nullptr) {
      for (const char* piece : pieces) delete[] piece;
      channel.send(to_message(Failed{Status::kOutOfMemory, "an allocation failed"}).header);
      return FaultOutcome::kEnd;
    }
    std::memset(pieces.back(), 1, kPiece);
  }
  hang();
}

bool already_struck(const std::string& marker) {
  if (marker.empty()) return false;
  if (::access(marker.c_str(), F_OK) == 0) return true;
  std::ofstream file(marker);
  return false;
}

}  // namespace

FaultOutcome commit_fault(const Fault& fault, Channel& channel) {
  if (already_struck(fault.once)) return FaultOutcome::kGoOn;
  switch (fault.kind) {
    case Fault::Kind::kHang:
      hang();
    case Fault::Kind::kCrash:
      crash(fault.signal);
    case Fault::Kind::kExit:
      ::_exit(fault.code);
    case Fault::Kind::kGarbage:
      send_bytes(channel, "Segmentation fault, said a library on the wrong descriptor\n");
      return FaultOutcome::kEnd;
    case Fault::Kind::kOtherVersion:
      send_bytes(channel, frame(kProtocolVersion + 98, R"({"type":"hello"})"));
      return FaultOutcome::kEnd;
    case Fault::Kind::kMalformed:
      send_bytes(channel, frame(kProtocolVersion, R"({"type":"hello",)"));
      return FaultOutcome::kEnd;
    case Fault::Kind::kFailed:
      channel.send(to_message(Failed{fault.status, fault.reason}).header);
      return FaultOutcome::kEnd;
    case Fault::Kind::kEatMemory:
      return eat_memory(fault.bytes, channel);
    case Fault::Kind::kClose:
      return FaultOutcome::kEnd;
    case Fault::Kind::kDelay:
      std::this_thread::sleep_for(std::chrono::duration<double>(fault.seconds));
      return FaultOutcome::kGoOn;
  }
  return FaultOutcome::kGoOn;
}

}  // namespace transformeter

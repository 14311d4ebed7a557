// RLIMIT_DATA rather than RLIMIT_AS: LibTorch maps gigabytes of address space (weights read-only, thread arenas) that
// it never touches. Since Linux 4.7 RLIMIT_DATA counts private writable mappings too (setrlimit(2)).
#include "machine/limits.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/error.h"
#include "base/units.h"

namespace transformeter {
namespace {

void require_positive(long long bytes) {
  if (bytes <= 0)
    throw bad_value("memory limit", std::to_string(bytes), "a positive number of bytes", "For example 4GiB.");
}

rlimit data_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) {
    throw Error(ErrorKind::kEnvironment, fmt::format("cannot read RLIMIT_DATA: {}", std::strerror(errno)));
  }
  return limit;
}

}  // namespace

long long memory_limit_within(std::optional<long long> asked, long long available_bytes) {
  if (asked) require_positive(*asked);
  const long long most = available_bytes - kMemoryReserveBytes;
  if (most <= 0) {
    throw Error(ErrorKind::kEnvironment,
                fmt::format("only {} of memory available, but {} must stay free for the machine",
                            format_bytes(static_cast<double>(available_bytes)),
                            format_bytes(static_cast<double>(kMemoryReserveBytes))));
  }
  return asked ? std::min(*asked, most) : most;
}

long long apply_memory_limit(long long bytes) {
  require_positive(bytes);
  rlimit limit = data_limit();
  limit.rlim_cur = std::min(static_cast<rlim_t>(bytes), limit.rlim_max);
  if (::setrlimit(RLIMIT_DATA, &limit) != 0) {
    throw Error(ErrorKind::kEnvironment, fmt::format("cannot limit memory to {}: {}",
                                                     format_bytes(static_cast<double>(bytes)), std::strerror(errno)));
  }
  return static_cast<long long>(data_limit().rlim_cur);
}

std::optional<long long> memory_limit_bytes() {
  const rlim_t limit = data_limit().rlim_cur;
  if (limit == RLIM_INFINITY) return std::nullopt;
  return static_cast<long long>(limit);
}

std::optional<int> set_oom_score_adjustment(int value, const SystemFiles& files) {
  const std::string file = files.process_file(0, "oom_score_adj");
  {
    std::ofstream stream(files.path(file), std::ios::out | std::ios::in);  // never create
    stream << value;
  }
  const auto held = files.integer(file);
  if (!held) return std::nullopt;
  return static_cast<int>(*held);
}

}  // namespace transformeter

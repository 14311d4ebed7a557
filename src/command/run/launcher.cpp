// A worker is a child with one end of a socket pair as descriptor 3.
#include "run/launcher.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "base/error.h"
#include "base/text.h"
#include "machine/limits.h"
#include "machine/process_memory.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTailBytes = 600;

fs::path make_output_file() {
  std::error_code code;
  fs::path folder = fs::temp_directory_path(code);
  if (code) folder = "/tmp";
  std::string name = (folder / "transformeter-worker-XXXXXX").string();
  const int descriptor = ::mkstemp(name.data());
  if (descriptor < 0) {
    throw Error(
        ErrorKind::kEnvironment,
        fmt::format("cannot create a file for the worker's output in '{}': {}. Set TMPDIR to a writable folder.",
                    folder.string(), std::strerror(errno)));
  }
  ::close(descriptor);
  return name;
}

std::string valid_utf8(std::string text) {
  while (const auto offset = first_invalid_utf8(text)) text[*offset] = '?';
  return text;
}

}  // namespace

std::filesystem::path find_worker(const Context& context, const std::string& setting) {
  fs::path worker = context.program_directory / "transformeter-worker";
  std::string origin = "next to this program";
  if (const char* variable = std::getenv("TRANSFORMETER_WORKER"); variable != nullptr && *variable != '\0') {
    worker = variable;
    origin = "from TRANSFORMETER_WORKER";
  }
  if (!setting.empty()) {
    worker = setting;
    origin = "from the setting 'worker'";
  }
  std::error_code code;
  if (!fs::is_regular_file(worker, code)) {
    throw Error(ErrorKind::kEnvironment,
                fmt::format("no worker at '{}' ({}). Build it with 'make programs', or set --worker PATH.",
                            worker.string(), origin));
  }
  if (::access(worker.c_str(), X_OK) != 0) {
    throw Error(ErrorKind::kEnvironment,
                fmt::format("the worker '{}' ({}) is not executable", worker.string(), origin));
  }
  return fs::absolute(worker, code);
}

std::optional<std::int64_t> worker_memory_limit(const Case& asked) {
  const std::optional<long long> limit = asked.memory_limit;
  const auto available = available_memory_bytes();
  return available ? memory_limit_within(limit, *available) : limit;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

// The file loses its name as soon as the child has it open, so that nothing stays behind, however this program ends.
WorkerProcess::Start WorkerProcess::start(const fs::path& program, const Launch& launch) {
  ChannelPair pair = make_channel_pair();
  const Descriptor there(pair.there);  // closed here as soon as the child has it
  const fs::path output = make_output_file();
  SpawnOptions options;
  options.arguments = {"--connect", "fd:3"};
  options.environment = launch.environment;
  options.placement = launch.placement;
  options.inherited_descriptor = there.number();
  options.output = output;
  const int reading = ::open(output.c_str(), O_RDONLY | O_CLOEXEC);
  struct Nameless {
    ~Nameless() { ::unlink(path.c_str()); }
    const fs::path& path;
  } const nameless{output};
  return {std::move(pair.here), Descriptor(reading), Subprocess(program, options)};
}

WorkerProcess::WorkerProcess(const fs::path& program, const Launch& launch, const Clock& clock)
    : spawned_at_ns_(std::chrono::duration_cast<std::chrono::nanoseconds>(clock.now().time_since_epoch()).count()),
      start_(start(program, launch)) {}

std::string WorkerProcess::output_tail() const {
  struct stat status {};
  if (::fstat(start_.output.number(), &status) != 0) return {};
  const auto size = static_cast<std::size_t>(status.st_size);
  std::string tail(std::min(size, kTailBytes), '\0');
  const ssize_t count =
      ::pread(start_.output.number(), tail.data(), tail.size(), static_cast<off_t>(size - tail.size()));
  tail.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return valid_utf8(std::string(trim(tail)));
}

}  // namespace transformeter

// transformeter-worker: loads LibTorch, connects to the command, and serves one session.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "base/context.h"
#include "base/error.h"
#include "base/paths.h"
#include "base/version.h"
#include "device/runtime.h"
#include "terms/status.h"
#include "worker/session.h"

namespace transformeter {
namespace {

constexpr std::string_view kUsage =
    "Usage: transformeter-worker --connect ADDRESS\n"
    "Runs one benchmark case for the command `transformeter`, which starts it.\n"
    "  --connect ADDRESS  fd:N (an inherited descriptor), unix:PATH or tcp:HOST:PORT\n"
    "  --version          print the version\n"
    "Example: transformeter-worker --connect unix:/tmp/session.sock\n";

int serve(std::string_view address) {
  const SystemClock clock;
  const std::filesystem::path here = running_program_directory();
  const Context context{clock, [](LogLevel, std::string_view line) { fmt::print(stderr, "{}\n", line); }, here,
                        bundled_data_directory(here)};
  Channel channel = connect_channel(address);
  serve_session(channel, context);
  return kExitOk;
}

}  // namespace
}  // namespace transformeter

int main(int argc, char** argv) {
  const std::string_view option = argc > 1 ? argv[1] : "";
  int code = transformeter::kExitBadInput;
  try {
    if (option == "--connect" && argc == 3) {
      code = transformeter::serve(argv[2]);
    } else if (option == "--version") {
      fmt::print("{}{}\n", transformeter::version_text("transformeter-worker"), transformeter::runtime_text());
      code = transformeter::kExitOk;
    } else if (option == "--help") {
      fmt::print("{}", transformeter::kUsage);
      code = transformeter::kExitOk;
    } else {
      fmt::print(stderr, "{}", transformeter::kUsage);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "transformeter-worker: {}\n", error.what());
  }
  // LibTorch takes about 0.15 s to unregister its operators at exit; nothing here needs that.
  std::fflush(nullptr);
  ::_exit(code);
}

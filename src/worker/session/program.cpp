// Command line, connection, one session, and a quick end.
#include "session/program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

#include "base/context.h"
#include "base/error.h"
#include "base/paths.h"
#include "base/version.h"
#include "device/runtime.h"
#include "schema/status.h"
#include "session/session.h"

namespace transformeter {
namespace {

std::string usage(std::string_view name) {
  return fmt::format(
      "Usage: {0} --connect ADDRESS\n"
      "Runs one benchmark case for the command `transformeter`, which starts it.\n"
      "  --connect ADDRESS  fd:N (an inherited descriptor), unix:PATH or tcp:HOST:PORT\n"
      "  --version          print the version\n"
      "Example: {0} --connect unix:/tmp/session.sock\n",
      name);
}

int serve(std::string_view address, const WorkerParts& parts) {
  const SystemClock clock;
  const std::filesystem::path here = running_program_directory();
  const Context context{clock, [](LogLevel, std::string_view line) { fmt::print(stderr, "{}\n", line); }, here,
                        bundled_data_directory(here), user_cache_directory()};
  Channel channel = connect_channel(address);
  serve_session(channel, context, parts);
  return kExitOk;
}

int exit_code_of(int argc, char** argv, const WorkerParts& parts, std::string_view name) {
  const std::string_view option = argc > 1 ? argv[1] : "";
  if (option == "--connect" && argc == 3) return serve(argv[2], parts);
  if (option == "--version") {
    fmt::print("{}{}\n", version_text(name), runtime_text());
    return kExitOk;
  }
  fmt::print(option == "--help" ? stdout : stderr, "{}", usage(name));
  return option == "--help" ? kExitOk : kExitBadInput;
}

}  // namespace

void run_worker(int argc, char** argv, const WorkerParts& parts, std::string_view name) {
  int code = kExitBadInput;
  try {
    code = exit_code_of(argc, argv, parts, name);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
  }
  // LibTorch takes about 0.15 s to unregister its operators at exit; nothing here needs that.
  std::fflush(nullptr);
  ::_exit(code);
}

}  // namespace transformeter

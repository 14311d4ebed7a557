// Child processes: started with their own environment and one inherited descriptor, waited for, and killed.
// Programs are found as a shell finds them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/placement.h"

namespace transformeter {

/// How a child ended: an exit code or a signal.
struct ExitStatus {
  std::optional<int> code;
  std::optional<int> signal;
  /// "exit code 3" or "signal 11 (SIGSEGV)".
  std::string describe() const;
};

struct SpawnOptions {
  std::vector<std::string> arguments;              // after the program's own name
  std::map<std::string, std::string> environment;  // added to, or replacing, this process's own
  int inherited_descriptor = -1;                   // becomes descriptor 3 in the child; -1: none
  std::filesystem::path output;                    // stdout and stderr go there; empty: /dev/null
  std::filesystem::path working_folder;            // empty: this process's own
  Placement placement;                             // applied in the child, before exec
};

/// The first executable file of that name in the folders of PATH; nothing when there is none.
std::optional<std::filesystem::path> find_program(std::string_view name);

/// Owns a running child; the destructor kills and reaps it. Not thread-safe.
class Subprocess {
 public:
  /// Throws Error(kUnsupported) when the kernel refuses a part of the placement, and Error(kEnvironment) when the
  /// program cannot be started, with the reason of the failed exec.
  Subprocess(const std::filesystem::path& program, const SpawnOptions& options);
  ~Subprocess();
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;

  pid_t pid() const { return pid_; }
  /// Nothing while it runs.
  std::optional<ExitStatus> poll();
  ExitStatus wait();
  /// Nothing when it still runs after `limit`.
  std::optional<ExitStatus> wait_for(std::chrono::duration<double> limit);
  void kill(int signal);

 private:
  pid_t pid_ = -1;
  std::optional<ExitStatus> status_;
};

}  // namespace transformeter

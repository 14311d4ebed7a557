// fork and exec with an error pipe, so that a failed exec is an error here and not a mystery exit code.
#include "base/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "base/error.h"
#include "base/text.h"

extern char** environ;

namespace transformeter {
namespace {

ExitStatus decode(int status) {
  ExitStatus result;
  if (WIFSIGNALED(status)) {
    result.signal = WTERMSIG(status);
  } else {
    result.code = WEXITSTATUS(status);
  }
  return result;
}

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& extra) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (extra.count(text.substr(0, text.find('='))) == 0) entries.push_back(text);
  }
  for (const auto& [name, value] : extra) entries.push_back(name + "=" + value);
  return entries;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// All that the child needs, made before the fork.
struct ChildStart {
  char** arguments;  // the program first
  char** environment;
  const char* working_folder;  // null: stay
  int inherited;
  int output;
  int error_pipe;
  pid_t parent;
  const PlacementCalls* placement;
};

// What a child says that could not start.
struct StartFailure {
  PlacementStep step;  // that the kernel refused; kNone: it was the working folder or exec
  int code;            // errno
};

// Only async-signal-safe calls between fork and exec.
[[noreturn]] void run_child(const ChildStart& start) {
  ::setpgid(0, 0);  // a terminal's Ctrl-C goes to the parent alone, which then ends the child in order
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != start.parent) ::_exit(127);
  if (start.output >= 0) {
    ::dup2(start.output, STDOUT_FILENO);
    ::dup2(start.output, STDERR_FILENO);
  }
  if (start.inherited >= 0 && ::dup2(start.inherited, 3) >= 0 && start.inherited == 3) ::fcntl(3, F_SETFD, 0);
  const PlacementStep refused = start.placement->apply();
  if (refused == PlacementStep::kNone && (start.working_folder == nullptr || ::chdir(start.working_folder) == 0)) {
    ::execve(start.arguments[0], start.arguments, start.environment);
  }
  const StartFailure failure{refused, errno};
  [[maybe_unused]] const ssize_t written = ::write(start.error_pipe, &failure, sizeof failure);
  ::_exit(127);
}

}  // namespace

std::string ExitStatus::describe() const {
  if (signal) {
    const char* abbreviation = ::sigabbrev_np(*signal);
    return fmt::format("signal {} (SIG{})", *signal, abbreviation != nullptr ? abbreviation : "?");
  }
  return fmt::format("exit code {}", code.value_or(-1));
}

std::optional<std::filesystem::path> find_program(std::string_view name) {
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin", ':')) {
    const std::filesystem::path program = std::filesystem::path(folder.empty() ? "." : folder) / name;
    std::error_code code;
    if (std::filesystem::is_regular_file(program, code) && ::access(program.c_str(), X_OK) == 0) {
      return std::filesystem::absolute(program, code);
    }
  }
  return std::nullopt;
}

Subprocess::Subprocess(const std::filesystem::path& program, const SpawnOptions& options) {
  int error_pipe[2];
  if (::pipe2(error_pipe, O_CLOEXEC) != 0) throw Error(ErrorKind::kEnvironment, "cannot create a pipe");
  // Descriptor 3 belongs to the child's protocol, so the pipe must not sit there.
  const int error_out = ::fcntl(error_pipe[1], F_DUPFD_CLOEXEC, 10);
  ::close(error_pipe[1]);

  std::vector<std::string> argument_texts{program.string()};
  argument_texts.insert(argument_texts.end(), options.arguments.begin(), options.arguments.end());
  std::vector<std::string> environment_texts = merged_environment(options.environment);
  const std::vector<char*> arguments = pointers(argument_texts);
  const std::vector<char*> environment = pointers(environment_texts);

  const PlacementCalls placement(options.placement);

  const char* output_path = options.output.empty() ? "/dev/null" : options.output.c_str();
  const int output = ::open(output_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const ChildStart start{const_cast<char**>(arguments.data()),
                         const_cast<char**>(environment.data()),
                         options.working_folder.empty() ? nullptr : options.working_folder.c_str(),
                         options.inherited_descriptor,
                         output,
                         error_out,
                         ::getpid(),
                         &placement};
  pid_ = ::fork();
  if (pid_ == 0) run_child(start);
  if (output >= 0) ::close(output);
  ::close(error_out);
  StartFailure failure{};
  const ssize_t count = pid_ < 0 ? 0 : ::read(error_pipe[0], &failure, sizeof failure);
  ::close(error_pipe[0]);
  if (pid_ < 0) throw Error(ErrorKind::kEnvironment, fmt::format("cannot fork: {}", std::strerror(errno)));
  if (count == static_cast<ssize_t>(sizeof failure)) {
    wait();
    const bool is_placement = failure.step != PlacementStep::kNone;
    const std::string step = is_placement ? fmt::format("cannot {}: ", text_of(failure.step)) : "";
    throw Error(is_placement ? ErrorKind::kUnsupported : ErrorKind::kEnvironment,
                fmt::format("cannot start '{}': {}{}", program.string(), step, std::strerror(failure.code)));
  }
}

Subprocess::~Subprocess() {
  if (pid_ > 0 && !status_) {
    kill(SIGKILL);
    wait();
  }
}

std::optional<ExitStatus> Subprocess::poll() {
  int status = 0;
  if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) status_ = decode(status);
  return status_;
}

ExitStatus Subprocess::wait() {
  while (!status_) {
    int status = 0;
    const pid_t waited = ::waitpid(pid_, &status, 0);
    if (waited == pid_) {
      status_ = decode(status);
    } else if (waited < 0 && errno != EINTR) {
      status_ = ExitStatus{-1, std::nullopt};
    }
  }
  return *status_;
}

std::optional<ExitStatus> Subprocess::wait_for(std::chrono::duration<double> limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  auto pause = std::chrono::milliseconds(1);
  while (!poll() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(20));
  }
  return status_;
}

void Subprocess::kill(int signal) {
  if (!status_) ::kill(pid_, signal);
}

}  // namespace transformeter

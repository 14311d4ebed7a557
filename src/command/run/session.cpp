// Waiting for a worker without trusting it.
#include "run/session.h"

#include <fmt/format.h>
#include <signal.h>

#include <new>
#include <thread>

#include "base/error.h"
#include "base/units.h"
#include "machine/process_memory.h"
#include "machine/system_files.h"

namespace transformeter {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kWatchPeriod{500};       // memory watcher, measurement.md 17
constexpr milliseconds kMeasuringPeriod{1000};  // at most one wake-up a second
constexpr milliseconds kExitTimeout{5000};      // from the end of the session to the end of the process

// How often the kernel's out-of-memory killer acted, on the whole machine.
std::optional<long long> oom_kill_count() {
  const auto text = SystemFiles().text("proc/vmstat");
  return text ? count_field(*text, "oom_kill") : std::nullopt;
}

std::optional<ExitStatus> wait_for_exit(Subprocess& process, milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  milliseconds pause{1};
  while (true) {
    if (auto status = process.poll()) return status;
    if (std::chrono::steady_clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, milliseconds(50));
  }
}

}  // namespace

Session::Session(const Context& context, const SessionOptions& options)
    : context_(context),
      options_(options),
      oom_kills_before_(oom_kill_count()),
      worker_(options.worker, options.launch, context.clock) {}

std::string Session::with_output(std::string reason) const {
  const std::string tail = worker_.output_tail();
  if (!tail.empty()) reason += fmt::format("; last output: {}", tail);
  return reason;
}

void Session::fail(Status status, std::string reason) {
  worker_.process().kill(SIGKILL);
  worker_.process().wait();
  if (!fault_) fault_ = Failed{status, std::move(reason), std::nullopt};
}

void Session::explain_death() {
  const auto exit = wait_for_exit(worker_.process(), kExitTimeout);
  if (!exit) return fail(Status::kFailed, with_output(fmt::format("the worker closed the session during {}", verb_)));
  if (exit->signal == SIGKILL) {
    const auto kills = oom_kill_count();
    if (kills && oom_kills_before_ && *kills > *oom_kills_before_) {
      return fail(
          Status::kOutOfMemory,
          with_output(fmt::format(
              "the kernel's out-of-memory killer was active during {}, and the worker was killed by signal 9 (SIGKILL)",
              verb_)));
    }
  }
  fail(Status::kCrashed, with_output(fmt::format("the worker died during {}: {}", verb_, exit->describe())));
}

bool Session::is_over_memory_limit() {
  if (!options_.memory_limit_bytes) return false;
  const ProcessMemory memory = read_process_memory(worker_.process().pid());
  const auto used = memory.anonymous_bytes ? memory.anonymous_bytes : memory.rss_bytes;
  if (!used || *used <= *options_.memory_limit_bytes) return false;
  fail(Status::kOutOfMemory,
       fmt::format("the worker used {} of memory during {}; its limit is {}", format_bytes(static_cast<double>(*used)),
                   verb_, format_bytes(static_cast<double>(*options_.memory_limit_bytes))));
  return true;
}

// False when the session is over.
bool Session::check_worker(Clock::TimePoint silent_since) {
  if (options_.interrupt != nullptr && options_.interrupt->load()) {
    fail(Status::kInterrupted, "stopped by the user");
    return false;
  }
  if (is_over_memory_limit()) return false;
  if (std::chrono::steady_clock::now() - silent_since >= options_.timeout) {
    const double seconds = std::chrono::duration<double>(options_.timeout).count();
    fail(Status::kTimeout,
         with_output(fmt::format("no response from the worker for {} during {}; --worker-timeout allows more",
                                 format_duration(seconds), verb_)));
    return false;
  }
  return true;
}

// One message, or the end of the session. Time-outs go by the real clock, as poll does.
Channel::Outcome Session::receive(Message& message) {
  const auto silent_since = std::chrono::steady_clock::now();
  const milliseconds period = verb_ == verb::kMeasure ? kMeasuringPeriod : kWatchPeriod;
  while (check_worker(silent_since)) {
    const auto silent = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - silent_since);
    const milliseconds left = std::max(milliseconds(1), options_.timeout - silent);
    const Channel::Outcome outcome = worker_.channel().receive(message, std::min(period, left));
    if (outcome != Channel::Outcome::kTimeout) return outcome;
    if (worker_.process().poll()) {
      // A grandchild may keep the socket open after the worker's death; its last message still counts.
      const Channel::Outcome last = worker_.channel().receive(message, milliseconds(0));
      return last == Channel::Outcome::kMessage ? last : Channel::Outcome::kClosed;
    }
  }
  return Channel::Outcome::kTimeout;
}

std::optional<Message> Session::wait_for(const char* expected, const char* also) {
  try {
    Message message;
    const Channel::Outcome outcome = receive(message);
    if (fault_) return std::nullopt;
    if (outcome == Channel::Outcome::kClosed) {
      explain_death();
    } else if (const std::string type = message.type(); type == expected || (also != nullptr && type == also)) {
      return message;
    } else if (type == verb::kFailed) {
      const Failed said = from_message<Failed>(message);
      fail(said.status == Status::kOk ? Status::kFailed : said.status, said.reason);
      fault_->kind = said.kind;
    } else {
      fail(Status::kFailed, fmt::format("the worker answered {1} with '{0}' instead of '{2}'", type, verb_, expected));
    }
  } catch (const Error& error) {
    fail(Status::kFailed, with_output(error.what()));
  } catch (const std::bad_alloc&) {
    fail(Status::kFailed, fmt::format("the worker's message during {} does not fit into memory", verb_));
  }
  return std::nullopt;
}

std::optional<Message> Session::ask(const Message& request, const char* expected, const char* also,
                                    const std::function<bool(const Message&)>& on_message) {
  if (fault_) return std::nullopt;
  verb_ = request.type();
  try {
    worker_.channel().send(request.header, request.blob);
  } catch (const Error&) {
    // It may have said why before it went.
    if (auto answer = wait_for(expected)) {
      fail(Status::kFailed, fmt::format("the worker exited during {}", verb_));
    }
    return std::nullopt;
  }
  while (true) {
    std::optional<Message> message = wait_for(expected, also);
    if (!message || message->type() == expected) return message;
    if (!on_message(*message)) return std::nullopt;
  }
}

template <typename T>
std::optional<T> Session::unpacked(const std::optional<Message>& message) {
  if (!message) return std::nullopt;
  try {
    return from_message<T>(*message);
  } catch (const Error& error) {
    fail(Status::kFailed, with_output(error.what()));
    return std::nullopt;
  }
}

std::optional<Hello> Session::hello() {
  verb_ = verb::kHello;
  return unpacked<Hello>(wait_for(verb::kHello));
}

std::optional<Described> Session::describe() {
  return unpacked<Described>(ask(bare_message(verb::kDescribe), verb::kDescribed));
}

std::optional<Prepared> Session::prepare(const PrepareRequest& request) {
  return unpacked<Prepared>(ask(to_message(request), verb::kPrepared));
}

std::optional<Warmed> Session::warm(const WarmRequest& request) {
  return unpacked<Warmed>(ask(to_message(request), verb::kWarmed));
}

std::optional<Measured> Session::measure(const MeasureRequest& request,
                                         const std::function<void(const std::vector<Series>&)>& on_block) {
  return unpacked<Measured>(ask(to_message(request), verb::kMeasured, verb::kSamples, [&](const Message& message) {
    const auto block = unpacked<std::vector<Series>>(message);
    if (block) on_block(*block);
    return block.has_value();
  }));
}

std::optional<Evaluated> Session::evaluate(const EvaluateRequest& request) {
  // That a message came is all that matters: a long evaluation is no silence.
  return unpacked<Evaluated>(ask(to_message(request), verb::kEvaluated, verb::kEvaluating,
                                 [&](const Message& message) { return unpacked<Evaluating>(message).has_value(); }));
}

std::optional<FineTuned> Session::finetune(const FineTuneRequest& request,
                                           const std::function<void(const Json&)>& on_event) {
  return unpacked<FineTuned>(ask(to_message(request), verb::kFineTuned, verb::kFineTuning, [&](const Message& message) {
    const auto progress = unpacked<FineTuningEvent>(message);
    if (progress) on_event(progress->event);
    return progress.has_value();
  }));
}

std::optional<Profiled> Session::profile(const ProfileRequest& request,
                                         const std::function<void(const Profiling&)>& on_progress) {
  return unpacked<Profiled>(ask(to_message(request), verb::kProfiled, verb::kProfiling, [&](const Message& message) {
    const auto progress = unpacked<Profiling>(message);
    if (progress) on_progress(*progress);
    return progress.has_value();
  }));
}

std::optional<Predicted> Session::predict(const PredictRequest& request) {
  return unpacked<Predicted>(ask(to_message(request), verb::kPredicted));
}

std::optional<Forecasted> Session::forecast(const ForecastRequest& request) {
  return unpacked<Forecasted>(ask(to_message(request), verb::kForecasted));
}

std::optional<PeakMeasured> Session::measure_peak(const MeasurePeakRequest& request) {
  return unpacked<PeakMeasured>(ask(to_message(request), verb::kPeakMeasured));
}

bool Session::teardown() {
  if (!ask(bare_message(verb::kTeardown), verb::kTornDown)) return false;
  const auto exit = wait_for_exit(worker_.process(), kExitTimeout);
  if (!exit) {
    fail(Status::kFailed, with_output("the worker did not exit after teardown"));
  } else if (exit->code != 0) {
    fail(Status::kCrashed, with_output(fmt::format("the worker died during teardown: {}", exit->describe())));
  }
  return !fault_;
}

}  // namespace transformeter

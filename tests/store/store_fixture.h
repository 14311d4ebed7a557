// Records with every awkward value, and child processes for the tests of the store.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>

#include "base/error.h"
#include "store/store.h"
#include "support/temporary_folder.h"

namespace transformeter {

inline Series awkward_series() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Series series;
  series.name = "latency";
  series.unit = "s";
  series.rank = 3;
  series.value = {0.0, -0.0, -1.5, std::nan("7"), kInfinity, -kInfinity, 5e-324, 0.1};
  series.start_s = {-2, -1, 0, 1, 2, 3, 4, 5};
  series.index = {0, 1, 2, 3, 0, 1, 2, std::numeric_limits<std::int64_t>::min()};
  series.examples = {8, 8, 8, 5, 8, 8, 8, std::numeric_limits<std::int64_t>::max()};
  series.useful_tokens = {1, 2, 3, 4, 5, 6, 7, 0};
  series.flags = {3, 1, 0, 0, 0, 0, 0, 0xFFFFFFFFU};  // processed_tokens stays empty
  return series;
}

inline ReplicateRecord replicate_of(int index, Status status = Status::kOk, std::string reason = "") {
  ReplicateRecord replicate;
  replicate.index = index;
  replicate.started_at = "2026-11-21T01:53:54.123Z";
  replicate.ranks = 2;
  replicate.status = status;
  replicate.status_reason = std::move(reason);
  return replicate;
}

inline CaseRecord case_of(int position) {
  CaseRecord one;
  one.id = "c" + std::to_string(position);
  one.position = position;
  one.plan_key = "plan" + std::to_string(position);
  one.requested = {{"batch_size", position}, {"precision", "auto"}};
  return one;
}

inline RunRecord run_of(std::string id, std::string name = "", int cases = 2) {
  RunRecord run;
  run.id = std::move(id);
  run.name = std::move(name);
  run.started_at = "2026-11-21T01:53:54.000Z";
  run.replicates_planned = 3;
  run.host = {{"processor", "Ünïcode's \"CPU\""}, {"cores", 2}};
  run.settings = {{"batch_size", {{"values", {1, 8}}, {"origin", "flag"}}}};
  for (int i = 0; i < cases; ++i) run.cases.push_back(case_of(i));
  return run;
}

/// Everything a run holds, byte by byte.
inline std::string image(const RunRecord& run) {
  std::string text = run.id + "|" + run.name + "|" + run.started_at + "|" + std::to_string(run.replicates_planned) +
                     run.host.dump() + run.settings.dump();
  for (const CaseRecord& one : run.cases) {
    text += "\n" + one.id + "|" + std::to_string(one.position) + "|" + one.plan_key + "|" + one.key + "|" +
            one.workload_key + one.requested.dump() + one.effective.dump() + one.launch.dump() +
            (one.status ? std::string(name_of(*one.status)) : "pending") + "|" + one.status_reason;
    for (const ReplicateRecord& replicate : one.replicates) {
      text += "\n  " + std::to_string(replicate.index) + "|" + replicate.started_at + "|" +
              std::to_string(replicate.ranks) + "|" + std::string(name_of(replicate.status)) + "|" +
              replicate.status_reason;
      std::string blob;
      const std::string directory = encode_series(replicate.series, blob).dump();
      text += directory + blob;
    }
  }
  return text;
}

/// What `work` throws; an empty message when it does not.
inline Error error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorKind::kInternal, "");
}

/// Starts `work` in a forked process, whose exit code is what it returns, or 99 after an exception.
inline pid_t fork_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  int code = 99;
  try {
    code = work();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "in the child: %s\n", error.what());
  }
  ::_exit(code);
}

/// The child's exit code, or 128 + its signal.
inline int wait_for(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace transformeter

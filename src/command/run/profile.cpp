// The worker writes the trace beside its place, under another name.
#include "run/profile.h"

#include <fmt/format.h>
#include <unistd.h>

#include <system_error>
#include <utility>

#include "base/error.h"
#include "run/single_case_session.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

// A file that somebody else writes: removed unless it is put in its place.
class PendingFile {
 public:
  explicit PendingFile(fs::path place) : place_(std::move(place)) {
    if (place_.empty()) return;
    temporary_ = fs::absolute(place_).parent_path() /
                 fmt::format(".{}.{}.json", place_.filename().string(), static_cast<int>(::getpid()));
  }
  ~PendingFile() {
    std::error_code ignored;
    if (!temporary_.empty()) fs::remove(temporary_, ignored);
  }
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  std::string name() const { return temporary_.string(); }
  void commit() {
    if (temporary_.empty()) return;
    std::error_code code;
    fs::rename(temporary_, place_, code);
    if (code) {
      throw Error(ErrorKind::kEnvironment,
                  fmt::format("cannot write the trace '{}': {}", place_.string(), code.message()));
    }
  }

 private:
  fs::path place_, temporary_;
};

}  // namespace

ProfiledCase profile_case(const Context& context, const ProfileJob& job) {
  PendingFile trace(job.trace);
  SingleCaseSession sole(context, {job.worker, job.settings, job.worker_timeout, job.interrupt, job.launch_host});
  ProfiledCase result;
  result.effective = sole.prepare();
  result.effective.update(sole.answered(sole.session().warm({job.warmup})).effective);
  ProfileRequest request{job.options};
  request.options.trace_file = trace.name();
  result.profile = sole.answered(sole.session().profile(request, job.on_progress)).profile;
  sole.end();
  trace.commit();
  return result;
}

}  // namespace transformeter

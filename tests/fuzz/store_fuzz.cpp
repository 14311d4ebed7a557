// A SQLite store: read, analysed nowhere, and opened for writing, as `runs`, `show`, `profiles` and `resume` do.
#include "fuzz_support.h"
#include "store/profile_store.h"
#include "store/store.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ScratchFile file("store.db");
  const std::filesystem::path& path = file.write(bytes_of(data, size));
  expect_read_or_error([&] {
    const auto store = open_store(path, StoreMode::kRead);
    for (const RunRecord& run : store->list_runs()) {
      expect_read_or_error([&] { store->load_run(run.id, true); });
    }
  });
  expect_read_or_error([&] {
    const auto store = open_profile_store(path, StoreMode::kRead);
    for (const ProfileRecord& profile : store->list()) {
      expect_read_or_error([&] { store->profile_of(profile); });
    }
  });
  expect_read_or_error([&] {
    RunRecord run;
    run.id = "fuzz";
    open_store(path, StoreMode::kWrite)->begin_run(run);
  });
  return 0;
}

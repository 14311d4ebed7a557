// WAV, FLAC and Ogg files, resampled and made into features. Limits are low, as a few KiB may hold any number of
// samples.
#include <cmath>

#include "audio/feature_extractor.h"
#include "audio/load_audio.h"
#include "fuzz_support.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

// LeakSanitizer asks for it. libsndfile 1.2 never frees what libvorbis holds of an Ogg file whose headers are broken.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:vorbis_info_init\n";
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr AudioLimits kLimits{.values = 1 << 18};
  expect_read_or_error([&] {
    Waveform waveform = load_audio(bytes_of(data, size), "input", 16'000, kLimits);
    require(waveform.sampling_rate == 16'000, "the rate");
    require(!waveform.samples.empty(), "the samples' count");
    require(waveform.samples.size() <= static_cast<std::size_t>(kLimits.values), "the limit");
    for (const float sample : waveform.samples) require(std::isfinite(sample), "finite samples");
    extract_features({}, waveform.samples);
  });
  return 0;
}

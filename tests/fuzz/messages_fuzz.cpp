// Every decoder of messages. The input is a JSON header, a zero byte, and the bytes of the series. Series that are
// accepted must come out the same when packed and unpacked again.
#include "fuzz_support.h"
#include "schema/messages.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of a few functions

namespace {

template <typename T>
void decode(const Message& message) {
  expect_read_or_error([&] { from_message<T>(message); });
}

void decode_all(const Message& message) {
  decode<Hello>(message);
  decode<Described>(message);
  decode<PrepareRequest>(message);
  decode<Prepared>(message);
  decode<WarmRequest>(message);
  decode<Warmed>(message);
  decode<MeasureRequest>(message);
  decode<Measured>(message);
  decode<EvaluateRequest>(message);
  decode<Evaluating>(message);
  decode<Profiling>(message);
  decode<Evaluated>(message);
  decode<PredictRequest>(message);
  decode<Predicted>(message);
  decode<ProfileRequest>(message);
  decode<Profiled>(message);
  decode<Failed>(message);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = bytes_of(data, size);
  const std::size_t end = bytes.find('\0');
  Message message;
  expect_read_or_error([&] { message.header = parse_json("header", bytes.substr(0, end)); });
  // The channel lets nothing else through.
  if (!message.header.is_object() || !message.header.contains("type") || !message.header["type"].is_string()) return 0;
  if (end != std::string_view::npos) message.blob = bytes.substr(end + 1);
  decode_all(message);
  expect_read_or_error([&] {
    const auto series = from_message<std::vector<Series>>(message);
    std::string blob;
    const Json directory = encode_series(series, blob);
    std::string again;
    const Json same = encode_series(decode_series(directory, blob), again);
    require(same == directory && again == blob, "series change when packed and unpacked");
  });
  return 0;
}

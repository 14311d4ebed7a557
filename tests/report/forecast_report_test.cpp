// Narrow terminals lose the parts of a forecast by name, never what it comes to.
#include "report/forecast_report.h"

#include <gmock/gmock.h>

#include "base/text.h"
#include "report/display_text.h"
#include "report/text_document.h"
#include "support/result_records.h"

namespace transformeter {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kMib = 1 << 20;

class ForecastTable : public ::testing::Test {
 protected:
  void SetUp() override {
    run_.cases = {planned_case(0, requested_of(8, 128, "fp32")), planned_case(1, requested_of(32, 128, "fp32"))};
    report_.run = &run_;
    report_.forecasts.resize(2);
    for (CaseForecast& one : report_.forecasts) {
      one.peak = 1000 * kMib;
      one.weights = one.gradients = 200 * kMib;
      one.optimizer = 400 * kMib;
      one.activations = 180 * kMib;
      one.inputs = 20 * kMib;
      one.limit = std::int64_t{4} << 30;
    }
    report_.scaled.resize(2);
    MetricRow time;
    time.name = "latency";
    time.unit = "s";
    time.value = 0.5;
    for (CaseRecord& one : run_.cases) {
      one.plan_key = one.id;
      report_.earlier[one.plan_key] = {"20261121-015354-3fa9c1", time};
    }
  }

  std::string text_at(std::optional<std::size_t> width) const {
    return text_document(forecast_document(report_), {.width = width, .format_option = "--dry-run-format"});
  }

  RunRecord run_;
  ForecastReport report_;
};

TEST_F(ForecastTable, HasEachPartWhereThereIsRoom) {
  EXPECT_THAT(text_at({}), AllOf(HasSubstr("activations"), HasSubstr("time from"), Not(HasSubstr("hidden"))));
}

TEST_F(ForecastTable, SaysHowManyPassesAreMeasured) {
  EXPECT_THAT(text_at({}), Not(HasSubstr("measures")));
  run_.cases[1].requested["cycles"] = 3;
  report_.forecasts[1].flops = 1e9;
  report_.forecasts[1].batches = 7;
  EXPECT_THAT(text_at({}), AllOf(HasSubstr("measures"), HasSubstr("3 passes of 7 batches")));
}

TEST_F(ForecastTable, SaysWhatCannotRun) {
  run_.cases[1].status = Status::kUnsupportedShape;
  EXPECT_THAT(text_at({}), HasSubstr("1 case cannot run"));
  run_.cases[0].status = Status::kUnsupported;
  EXPECT_THAT(text_at({}), AllOf(HasSubstr("no case can run"), Not(HasSubstr("cannot run"))));
}

TEST_F(ForecastTable, NamesWhatANarrowTerminalHides) {
  const std::string text = text_at(80);
  for (const std::string& line : split(text, '\n')) EXPECT_LE(display_width(line), 80U) << line;
  EXPECT_THAT(text, HasSubstr("hidden (terminal too narrow): time from"));
  EXPECT_THAT(text, HasSubstr("see --dry-run-format markdown"));
  EXPECT_THAT(text, AllOf(HasSubstr("1000 MiB"), HasSubstr("4.00 GiB"), HasSubstr("fits"), HasSubstr("500 ms")));
}

}  // namespace
}  // namespace transformeter

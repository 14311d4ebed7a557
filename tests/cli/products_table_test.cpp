// The list of `doctor --products`: what it says, and that it is no wider than it may be.
#include "cli/products_table.h"

#include <gmock/gmock.h>

#include "base/text.h"
#include "report/display_text.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

ProductChoice choice(std::string precision, std::vector<ProductUse> uses, std::string kernel,
                     std::vector<KernelTrial> trials) {
  ProductChoice one;
  one.size.inputs = 768;
  one.size.outputs = 3072;
  one.size.threads = 2;
  one.size.uses = std::move(uses);
  one.size.precision = std::move(precision);
  one.kernel = std::move(kernel);
  one.trials = std::move(trials);
  one.tried_at = "2026-11-26T10:00:00Z";
  return one;
}

TEST(ProductsTable, NamesWhatIsMultipliedItsKernelAndHowMuchSlowerOthersAre) {
  EXPECT_EQ(
      products_table({choice("fp32", {{1, ""}, {128, "gelu"}}, "linear", {{"linear", 0.002, ""}, {"other", 0.003, ""}}),
                      choice("fp32", {{8, ""}}, "linear", {})}),
      "fp32, 2 threads, tried 2026-11-26\n"
      "rows         in × out  kernel     time  others, times slower\n"
      "1          768 × 3072  linear  2.00 ms  other 1.50\n"
      "128, gelu\n"
      "8          768 × 3072  linear        -\n");
  EXPECT_THAT(products_table({}), HasSubstr("none tried yet"));
}

TEST(ProductsTable, FormatsHaveTablesOfTheirOwn) {
  const std::string text =
      products_table({choice("fp32", {{1, ""}}, "linear", {}), choice("bf16", {{1, ""}}, "widened", {}),
                      choice("fp32", {{2, ""}}, "linear", {})});
  const std::size_t other = text.find("\nbf16, 2 threads, tried 2026-11-26\n");
  ASSERT_NE(other, std::string::npos);
  EXPECT_LT(text.find("\n2 "), other) << "beside the other of its format";
}

TEST(ProductsTable, NoLineIsWiderThanAsked) {
  const std::vector<KernelTrial> trials{{"widened", 0.040, ""},
                                        {"widened_onednn", 0.0736, ""},
                                        {"onednn_prepacked", 0.05, ""},
                                        {"linear", 0.0636, ""},
                                        {"linear_mkl_prepacked", 0, "its outputs differ from the first candidate's"}};
  const std::vector<ProductChoice> products{choice("bf16", {{2048, "gradient of weights"}}, "widened", trials)};
  for (const std::size_t width : {std::size_t{80}, kProductsWidth}) {
    const std::string text = products_table(products, width);
    for (const std::string& line : split(text, '\n')) EXPECT_LE(display_width(line), width) << line;
    for (const char* part :
         {"widened_onednn 1.84", "onednn_prepacked 1.25", "linear 1.59", "linear_mkl_prepacked", "40.0 ms"}) {
      EXPECT_THAT(text, HasSubstr(part));
    }
  }
}

}  // namespace
}  // namespace transformeter

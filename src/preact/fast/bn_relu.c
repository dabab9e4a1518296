/* Batch normalization and ReLU in one: forward, backward, and in evaluation.

   Rows are pixels, `c` channels lie side by side (channels last). A batch is
   `groups` ghost batches of `rows` rows; each is normalized by itself. Sums
   run over blocks in float and over blocks in double, around the first row of
   the group, so that a large mean costs no digits. NaN and infinity go where
   PyTorch's operations let them go: comparisons are written so that NaN fails
   them on the right side, and no flag of the compiler says they do not exist.

   Links against no OpenMP runtime of its own: PyTorch's is there already, and
   two of them would fight for the cores. All functions return 0, or 1 for want
   of memory. */

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 64    /* rows summed in float */
#define MOST 2048   /* channels */

typedef const float *restrict in;
typedef float *restrict out;

/* The rows of this thread. */
static void span(long rows, long *low, long *high) {
  long t = omp_get_thread_num(), k = omp_get_num_threads();
  *low = rows * t / k;
  *high = rows * (t + 1) / k;
}

/* Total of channel j over all threads: first sums, or second ones. */
static double total(const double *part, long k, long c, long j, int second) {
  double sum = 0;
  for (long u = 0; u < k; u++) sum += part[(2 * u + second) * c + j];
  return sum;
}

/* What the sums are taken around: the first row, where it is a number. */
static void set_pivot(in x, out pivot, long c) {
  for (long j = 0; j < c; j++) pivot[j] = isfinite(x[j]) ? x[j] : 0;
}

/* `y` may be `x` itself. */
static void scaled(const float *x, in scale, in shift, float *y, long low,
                   long high, long c) {
  for (long i = low; i < high; i++) {
    #pragma omp simd
    for (long j = 0; j < c; j++) {
      float v = x[i * c + j] * scale[j] + shift[j];
      y[i * c + j] = !(v <= 0) ? v : 0;
    }
  }
}

/* y = relu(bn(x)) in evaluation; `y` may be `x` itself. */
int bn_relu_eval(const float *x, in weight, in bias, in mean, in var,
                 float *y, long rows, long c, float eps) {
  #pragma omp parallel
  {
    long low, high;
    float scale[MOST], shift[MOST];
    span(rows, &low, &high);
    for (long j = 0; j < c; j++) {
      scale[j] = weight[j] / sqrtf(var[j] + eps);
      shift[j] = bias[j] - mean[j] * scale[j];
    }
    scaled(x, scale, shift, y, low, high, c);
  }
  return 0;
}

/* y = relu(bn(x)) once more, by the statistics it had. */
int bn_relu_again(in x, in weight, in bias, in mean, in rstd, out y,
                  long groups, long rows, long c) {
  #pragma omp parallel
  {
    long low, high;
    float scale[MOST], shift[MOST];
    span(rows, &low, &high);
    for (long g = 0; g < groups; g++) {
      for (long j = 0; j < c; j++) {
        scale[j] = rstd[g * c + j] * weight[j];
        shift[j] = bias[j] - mean[g * c + j] * scale[j];
      }
      scaled(x + g * rows * c, scale, shift, y + g * rows * c, low, high, c);
    }
  }
  return 0;
}

/* y = relu(bn(x)) in training. */
int bn_relu_forward(in x, in weight, in bias, out y, out mean, out rstd,
                    out running_mean, out running_var, long groups, long rows,
                    long c, float eps, float momentum) {
  double *part = malloc(sizeof(double) * 2 * c * omp_get_max_threads());
  double *moved = calloc(2 * c, sizeof(double));
  if (!part || !moved || c > MOST) { free(part); free(moved); return 1; }
  #pragma omp parallel
  {
    long k = omp_get_num_threads(), low, high;
    float sum[MOST], square[MOST], pivot[MOST];
    span(rows, &low, &high);
    for (long g = 0; g < groups; g++) {
      in xg = x + g * rows * c;
      set_pivot(xg, pivot, c);
      double *mine = part + 2 * c * omp_get_thread_num();
      memset(mine, 0, sizeof(double) * 2 * c);
      for (long start = low; start < high; start += BLOCK) {
        long end = start + BLOCK < high ? start + BLOCK : high;
        memset(sum, 0, sizeof(float) * c);
        memset(square, 0, sizeof(float) * c);
        for (long i = start; i < end; i++)
          for (long j = 0; j < c; j++) {
            float v = xg[i * c + j] - pivot[j];
            sum[j] += v;
            square[j] += v * v;
          }
        for (long j = 0; j < c; j++) {
          mine[j] += sum[j];
          mine[c + j] += square[j];
        }
      }
      #pragma omp barrier
      #pragma omp for
      for (long j = 0; j < c; j++) {
        double m = total(part, k, c, j, 0) / rows;
        double v = total(part, k, c, j, 1) / rows - m * m;
        v = v < 0 ? 0 : v;
        mean[g * c + j] = pivot[j] + m;
        rstd[g * c + j] = 1 / sqrt(v + eps);
        moved[j] += (pivot[j] + m) / groups;
        moved[c + j] += v * rows / (rows - 1) / groups;
      }
      for (long j = 0; j < c; j++) {
        sum[j] = rstd[g * c + j] * weight[j];
        square[j] = bias[j] - mean[g * c + j] * sum[j];
      }
      scaled(xg, sum, square, y + g * rows * c, low, high, c);
      #pragma omp barrier
    }
  }
  for (long j = 0; j < c; j++) {
    running_mean[j] += momentum * (moved[j] - running_mean[j]);
    running_var[j] += momentum * (moved[c + j] - running_var[j]);
  }
  free(part);
  free(moved);
  return 0;
}

/* The mask of the ReLU is computed again from x: nothing else was kept. `dx`
   may be `dy` itself; `added`, if it is not NULL, is a gradient that reaches x
   by another way, and may not be `dx`. */
int bn_relu_backward(const float *dy, in x, in weight, in bias, in mean,
                     in rstd, in added, float *dx, out dweight, out dbias,
                     long groups, long rows, long c) {
  double *part = malloc(sizeof(double) * 2 * c * omp_get_max_threads());
  if (!part || c > MOST) { free(part); return 1; }
  memset(dweight, 0, sizeof(float) * c);
  memset(dbias, 0, sizeof(float) * c);
  #pragma omp parallel
  {
    long k = omp_get_num_threads(), low, high;
    float sum[MOST], product[MOST], scale[MOST], shift[MOST];
    span(rows, &low, &high);
    for (long g = 0; g < groups; g++) {
      const float *dg = dy + g * rows * c;
      float *og = dx + g * rows * c;
      in xg = x + g * rows * c, ag = added + g * rows * c;
      in m = mean + g * c, r = rstd + g * c;
      double *mine = part + 2 * c * omp_get_thread_num();
      memset(mine, 0, sizeof(double) * 2 * c);
      for (long j = 0; j < c; j++) {
        scale[j] = r[j] * weight[j];
        shift[j] = bias[j] - m[j] * scale[j];
      }
      for (long start = low; start < high; start += BLOCK) {
        long end = start + BLOCK < high ? start + BLOCK : high;
        memset(sum, 0, sizeof(float) * c);
        memset(product, 0, sizeof(float) * c);
        for (long i = start; i < end; i++)
          for (long j = 0; j < c; j++) {
            float v = xg[i * c + j];
            float d = v * scale[j] + shift[j] <= 0 ? 0 : dg[i * c + j];
            sum[j] += d;
            product[j] += d * (v - m[j]);
          }
        for (long j = 0; j < c; j++) {
          mine[j] += sum[j];
          mine[c + j] += product[j];
        }
      }
      #pragma omp barrier
      for (long j = 0; j < c; j++) {
        double db = total(part, k, c, j, 0);
        double dw = total(part, k, c, j, 1) * r[j];
        if (omp_get_thread_num() == 0) {
          dbias[j] += db;
          dweight[j] += dw;
        }
        sum[j] = db / rows;
        product[j] = dw * r[j] / rows;
      }
      #pragma omp barrier
      for (long i = low; i < high; i++) {
        #pragma omp simd
        for (long j = 0; j < c; j++) {
          float v = xg[i * c + j];
          float d = v * scale[j] + shift[j] <= 0 ? 0 : dg[i * c + j];
          og[i * c + j] = scale[j] * (d - sum[j] - (v - m[j]) * product[j]);
        }
        if (added)
          for (long j = 0; j < c; j++) og[i * c + j] += ag[i * c + j];
      }
    }
  }
  free(part);
  return 0;
}

//! The same code for processors with wide registers and for those without.

/// Defines a function with a body for AVX-512, one for AVX2 and one for all other processors; which
/// one runs is decided when it is called.
///
/// The bodies should call one generic function that is inlined into them: inlining is what makes
/// the compiler use the registers.
#[macro_export]
macro_rules! by_register_width {
    (
        $(#[$attribute:meta])*
        fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? {
            512 => $wide:expr,
            256 => $half:expr,
            _ => $plain:expr $(,)?
        }
    ) => {
        $(#[$attribute])*
        fn $name($($argument: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
                fn for_512($($argument: $type),*) $(-> $result)? {
                    $wide
                }
                #[target_feature(enable = "avx2")]
                fn for_256($($argument: $type),*) $(-> $result)? {
                    $half
                }
                if std::arch::is_x86_feature_detected!("avx512dq")
                    && std::arch::is_x86_feature_detected!("avx512vl")
                {
                    #[expect(unsafe_code, reason = "calling code for a detected processor feature")]
                    // SAFETY: the processor has AVX-512 with these extensions.
                    return unsafe { for_512($($argument),*) };
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    #[expect(unsafe_code, reason = "calling code for a detected processor feature")]
                    // SAFETY: the processor has AVX2.
                    return unsafe { for_256($($argument),*) };
                }
            }
            $plain
        }
    };
}
